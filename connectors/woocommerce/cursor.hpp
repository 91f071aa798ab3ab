#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "connectors/woocommerce/oauth1.hpp"

namespace waybill::connectors {

/// A page of a list, as far as going through it needs.
struct WooListing {
  struct Row {
    std::string id;
    std::optional<Time> modified;
  };
  std::vector<Row> rows;             // in the order they came
  std::optional<std::size_t> total;  // X-WP-Total; some servers remove it
  std::optional<std::size_t> pages;  // X-WP-TotalPages
  Time asked_at;                     // the store's time, as well as it is known, when it was asked
};

/// How a sweep goes through a list ordered by time of change, oldest first. WooCommerce filters strictly
/// after whole seconds, and a record that changes while pages are read moves to the end of the list, so that
/// those behind it move up: a second page may lack one. So each page is the first one of what changed since
/// the last row of the one before. Only a second with more records than a page is read by pages, bounded to
/// this second, again and again until nothing left it meanwhile. Pure.
class WooCursor {
 public:
  static constexpr std::size_t page_size = 100;  // at most

  explicit WooCursor(std::optional<Time> since);

  /// Of the next page.
  oauth1::Parameters parameters() const;

  /// Asks for the same records in pages of half the size from now on. False: a page is one record already.
  bool halve();

  /// Goes on behind this page. Says of each row whether it is new, and no repetition of an earlier page's.
  std::vector<bool> take(const WooListing& listing);

  bool finished() const { return finished_; }

  /// What changed before this moment has been taken. Times that a record may have got while it was read do
  /// not count: WooCommerce looks for a page's records first and reads them after.
  std::optional<Time> reached() const { return reached_; }

 private:
  void advance(const WooListing& listing, bool any_fresh);
  void advance_within_second(const WooListing& listing, bool any_fresh);
  void move_to(Time second);

  std::optional<Time> from_;  // rows that changed in this second or later
  std::size_t page_ = 1;
  std::size_t size_ = page_size;
  bool within_second_ = false;   // only rows of the second from_
  std::optional<Time> horizon_;  // just before the sweep began
  std::optional<Time> reached_;
  bool asked_again_ = false;
  bool steady_ = true;         // of a pass through one second: nothing came or went
  bool pass_was_new_ = false;  // it brought something
  std::optional<std::size_t> pass_total_;
  std::map<std::string, Time> taken_;  // id and time of change, of those that may come again
  bool finished_ = false;
};

}  // namespace waybill::connectors
