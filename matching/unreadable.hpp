#pragma once

#include <new>
#include <optional>
#include <stdexcept>
#include <string>

#include <boost/system/system_error.hpp>

#include "storage/events/record_columns.hpp"

namespace waybill::matching {

/// The reason that a record, an event or a stored text cannot be handled. Handled again, it would fail again.
struct Unreadable {
  const char* code;   // code of a dead run: PAYLOAD_TOO_LARGE or UNREADABLE
  std::string error;  // a sentence for users
};

/// Calls `work`, which reads records, events or stored texts. Returns the reason if it cannot read one or
/// runs out of memory. Throws what else it throws, such as ColumnsChanged or DatabaseUnavailable.
template <typename Work>
std::optional<Unreadable> unless_unreadable(const Work& work) {
  try {
    work();
    return std::nullopt;
  } catch (const storage::RecordTooLarge& error) {
    return Unreadable{"PAYLOAD_TOO_LARGE", error.what()};
  } catch (const std::invalid_argument& error) {
    return Unreadable{"UNREADABLE", error.what()};
  } catch (const boost::system::system_error& error) {  // a stored text is not JSON
    return Unreadable{"UNREADABLE", error.what()};
  } catch (const std::bad_alloc&) {
    return Unreadable{"PAYLOAD_TOO_LARGE", "The record needs more memory than there is."};
  }
}

}  // namespace waybill::matching
