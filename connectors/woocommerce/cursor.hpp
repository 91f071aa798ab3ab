#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "connectors/page_size.hpp"
#include "connectors/woocommerce/oauth1.hpp"

namespace waybill::connectors {

/// The parts of a list's page that the cursor needs.
struct WooListing {
  struct Row {
    std::string id;
    std::optional<Time> modified;
  };
  std::vector<Row> rows;             // in the order of the answer
  std::optional<std::size_t> total;  // X-WP-Total; some servers remove it
  std::optional<std::size_t> pages;  // X-WP-TotalPages
  Time asked_at;                     // the time of the request, in the store's time if it is known
};

/// The position of a sweep over a list ordered by time of change, oldest first. WooCommerce filters by whole
/// seconds, exclusively, and a record that changes during the sweep moves to the end of the list, so that the
/// records after it move up and the next page may lack one. So each page is the first page of the records
/// changed since the last row of the page before. Only a second with more records than a page is read by
/// pages, limited to this second, until no record has left it during a reading. Pure.
class WooCursor {
 public:
  static constexpr std::size_t page_size = 100;  // WooCommerce's maximum

  explicit WooCursor(std::optional<Time> since, PageSize size = PageSize(page_size));

  /// The query parameters of the next page.
  oauth1::Parameters parameters() const;

  /// Requests the same records in smaller pages from now on. Returns false if a page is one record already.
  bool shrink();
  /// The next page, of one record, lacks what made the earlier ones fail.
  void trust_size() { size_.trust(); }
  const PageSize& size() const { return size_; }

  /// Moves past this page. Returns for each row whether it is new, that is, not a repetition from an earlier
  /// page.
  std::vector<bool> take(const WooListing& listing);

  bool finished() const { return finished_; }

  /// All changes before this time have been taken. Times that a record may have got while it was read do not
  /// count: WooCommerce first selects a page's records and reads them afterwards.
  std::optional<Time> reached() const { return reached_; }

 private:
  void advance(const WooListing& listing, bool any_fresh);
  void advance_within_second(const WooListing& listing, bool any_fresh);
  void move_to(Time second);

  std::optional<Time> from_;  // requests rows that changed in this second or later
  std::size_t page_ = 1;
  PageSize size_;
  bool within_second_ = false;   // requests only rows of the second from_
  std::optional<Time> horizon_;  // just before the sweep began
  std::optional<Time> reached_;
  bool asked_again_ = false;
  bool steady_ = true;         // the total has not changed in this pass through one second
  bool pass_was_new_ = false;  // the pass has returned new rows
  std::optional<std::size_t> pass_total_;
  std::map<std::string, Time> taken_;  // id and time of change of rows that may come again
  bool finished_ = false;
};

}  // namespace waybill::connectors
