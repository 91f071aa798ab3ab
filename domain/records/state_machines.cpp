#include "domain/records/state_machines.hpp"

#include <algorithm>
#include <array>

#include "base/joined_texts.hpp"

namespace waybill::domain {
namespace {

using State = std::string_view;

constexpr auto order_state_names =
    std::to_array<State>({"draft", "pending", "processing", "ready", "shipped", "delivered", "cancelled"});

constexpr auto from_order_draft = std::to_array<State>({"pending", "cancelled"});
constexpr auto from_order_pending = std::to_array<State>({"processing", "ready", "shipped", "cancelled"});
constexpr auto from_order_processing = std::to_array<State>({"pending", "ready", "shipped", "cancelled"});
constexpr auto from_order_ready = std::to_array<State>({"processing", "shipped", "cancelled"});
constexpr auto from_order_shipped = std::to_array<State>({"delivered"});

constexpr auto order_moves = std::to_array<StateMachine::Move>({
    {"draft", from_order_draft},
    {"pending", from_order_pending},
    {"processing", from_order_processing},
    {"ready", from_order_ready},
    {"shipped", from_order_shipped},
});

constexpr auto from_store_order_draft =
    std::to_array<State>({"pending", "processing", "ready", "shipped", "delivered", "cancelled"});
constexpr auto from_store_order_pending =
    std::to_array<State>({"processing", "ready", "shipped", "delivered", "cancelled"});
constexpr auto from_store_order_processing =
    std::to_array<State>({"ready", "shipped", "delivered", "cancelled"});
constexpr auto from_store_order_ready = std::to_array<State>({"shipped", "delivered", "cancelled"});
constexpr auto from_store_order_shipped = std::to_array<State>({"delivered"});

constexpr auto store_order_moves = std::to_array<StateMachine::Move>({
    {"draft", from_store_order_draft},
    {"pending", from_store_order_pending},
    {"processing", from_store_order_processing},
    {"ready", from_store_order_ready},
    {"shipped", from_store_order_shipped},
});

constexpr auto shipment_state_names =
    std::to_array<State>({"created", "collected", "in_transit", "out_for_delivery", "delivered", "exception",
                          "returned", "cancelled"});

constexpr auto from_shipment_created = std::to_array<State>(
    {"collected", "in_transit", "out_for_delivery", "delivered", "exception", "cancelled"});
constexpr auto from_shipment_collected =
    std::to_array<State>({"in_transit", "out_for_delivery", "delivered", "exception", "returned"});
constexpr auto from_shipment_in_transit =
    std::to_array<State>({"out_for_delivery", "delivered", "exception", "returned"});
constexpr auto from_shipment_out_for_delivery =
    std::to_array<State>({"in_transit", "delivered", "exception", "returned"});
constexpr auto from_shipment_exception =
    std::to_array<State>({"in_transit", "out_for_delivery", "delivered", "returned", "cancelled"});
constexpr auto from_shipment_delivered = std::to_array<State>({"returned"});

constexpr auto shipment_moves = std::to_array<StateMachine::Move>({
    {"created", from_shipment_created},
    {"collected", from_shipment_collected},
    {"in_transit", from_shipment_in_transit},
    {"out_for_delivery", from_shipment_out_for_delivery},
    {"exception", from_shipment_exception},
    {"delivered", from_shipment_delivered},
});

constexpr auto dispatch_state_names =
    std::to_array<State>({"draft", "ready", "in_progress", "completed", "cancelled"});

constexpr auto from_dispatch_draft = std::to_array<State>({"ready", "cancelled"});
constexpr auto from_dispatch_ready = std::to_array<State>({"draft", "in_progress", "cancelled"});
constexpr auto from_dispatch_in_progress = std::to_array<State>({"completed", "cancelled"});

constexpr auto dispatch_moves = std::to_array<StateMachine::Move>({
    {"draft", from_dispatch_draft},
    {"ready", from_dispatch_ready},
    {"in_progress", from_dispatch_in_progress},
});

constexpr StateMachine orders{"order", order_state_names, order_moves};
constexpr StateMachine store_orders{"order", order_state_names, store_order_moves};
constexpr StateMachine shipments{"shipment", shipment_state_names, shipment_moves};
constexpr StateMachine dispatches{"dispatch", dispatch_state_names, dispatch_moves};

}  // namespace

bool StateMachine::has_state(std::string_view status) const {
  return std::ranges::find(states, status) != states.end();
}

std::span<const std::string_view> StateMachine::next(std::string_view from) const {
  const auto found = std::ranges::find(moves, from, &Move::from);
  if (found == moves.end()) return {};
  return found->to;
}

bool StateMachine::allows(std::string_view from, std::string_view to) const {
  const auto allowed = next(from);
  return std::ranges::find(allowed, to) != allowed.end();
}

std::vector<std::string> StateMachine::origins(std::string_view to) const {
  std::vector<std::string> found;
  for (const std::string_view from : states) {
    if (allows(from, to)) found.emplace_back(from);
  }
  return found;
}

std::string StateMachine::refusal(std::string_view from, std::string_view to) const {
  std::string text;
  text.append(name).append(" cannot move from ").append(from).append(" to ").append(to);
  const auto allowed = next(from);
  if (allowed.empty()) return text.append("; ").append(from).append(" is final");
  return text.append("; allowed: ").append(joined_texts(allowed));
}

const StateMachine& order_states() { return orders; }
const StateMachine& store_order_states() { return store_orders; }
const StateMachine& shipment_states() { return shipments; }
const StateMachine& dispatch_states() { return dispatches; }

const StateMachine* states_of(EntityType type) {
  switch (type) {
    case EntityType::order:
      return &orders;
    case EntityType::shipment:
      return &shipments;
    case EntityType::customer:
    case EntityType::product:
      break;
  }
  return nullptr;
}

}  // namespace waybill::domain
