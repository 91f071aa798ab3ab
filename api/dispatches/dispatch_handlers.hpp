#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/services.hpp"

namespace waybill::api {

/// The current values of a dispatch whose row a transaction has locked.
struct LockedDispatch {
  std::string status;
  std::optional<Guid> driver;
  std::optional<Guid> vehicle;
  Time planned_date;
  std::int64_t stops = 0;
};

inline constexpr std::int64_t most_stops = 1'000;

/// Locks a dispatch. Throws Failure (404) if there is none.
asio::awaitable<LockedDispatch> lock_dispatch(storage::Transaction& transaction, const Guid& business,
                                              const Guid& dispatch);

/// Locks shipments that are about to be added to a dispatch. Throws Failure if one does not exist (404), is
/// final, or is in an open dispatch (409).
asio::awaitable<void> lock_free_shipments(storage::Transaction& transaction, const Guid& business,
                                          const std::vector<Guid>& shipments);

/// POST /api/dispatch
asio::awaitable<Answer> create_dispatch(Call& call, Services& services);
/// PUT /api/dispatch
asio::awaitable<Answer> update_dispatch(Call& call, Services& services);
/// DELETE /api/dispatch/{id}
asio::awaitable<Answer> delete_dispatch(Call& call, Services& services);
/// PATCH /api/dispatch/{id}/status
asio::awaitable<Answer> move_dispatch(Call& call, Services& services);
/// POST /api/dispatch/add-shipment
asio::awaitable<Answer> add_shipment(Call& call, Services& services);
/// POST /api/dispatch/remove-shipment
asio::awaitable<Answer> remove_shipment(Call& call, Services& services);

}  // namespace waybill::api
