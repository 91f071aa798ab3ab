#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include <boost/asio/awaitable.hpp>

namespace waybill::connectors {

namespace asio = boost::asio;

/// Tells a store that can show none of its records whole from one that cannot show some: the first fails the
/// import, which would set aside all of them; the second is read past them, however many they are. One object
/// belongs to a sweep.
class ShownRecords {
 public:
  /// A record of the store's whole list, sorted by the time of change.
  struct Sample {
    bool is_newest_first = true;
    std::size_t place = 0;
  };
  /// Requests the record whole. Returns true if the store shows it, false if it fails or has fewer records.
  /// Throws StoreError for a failure that is not the record's.
  using Shows = std::function<asio::awaitable<bool>(Sample sample)>;

  /// Notes a record of the sweep, with the reason why the store cannot show it whole; empty if it can.
  void note(const std::string& failure);

  /// After several records in a row that the store could not show: asks for samples until it shows one, and
  /// throws StoreError busy with the last failure if it shows none. They are not asked for twice.
  asio::awaitable<void> require_some(const Shows& shows);

 private:
  std::size_t failures_ = 0;  // in a row, since the store last showed a record
  bool shows_none_ = false;   // of the samples
  std::string failure_;       // the last one
};

}  // namespace waybill::connectors
