#pragma once

#include <string_view>

#include "api/endpoint/services.hpp"
#include "matching/past.hpp"

namespace waybill::api {

/// The last change of a record, which a test takes for its event; an empty one for a timer or a schedule.
/// Throws DatabaseUnavailable or StatementError, as does the next function.
asio::awaitable<matching::LastChange> last_change_of(Services& services, Guid business, Guid record,
                                                     bool is_timed);

/// Changes the entity of a record into that of an event with this trigger. That of an erasure has the guid
/// alone. `shipment_trace_added` gets the shipment's newest trace; others get the trace of the last event.
asio::awaitable<void> complete_entity(Services& services, const Guid& business, const Guid& record,
                                      std::string_view trigger, const domain::Change& last,
                                      json::object& entity);

}  // namespace waybill::api
