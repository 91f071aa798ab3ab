#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/records/record_type.hpp"

namespace waybill::domain {

struct StateMachine {
  struct Move {
    std::string_view from;
    std::span<const std::string_view> to;
  };
  std::string_view name;  // "order"
  std::span<const std::string_view> states;
  std::span<const Move> moves;

  bool has_state(std::string_view status) const;
  /// The states that may follow `from`; empty for final and unknown states. Staying in the same state is not
  /// a move; the caller handles it.
  std::span<const std::string_view> next(std::string_view from) const;
  bool allows(std::string_view from, std::string_view to) const;
  /// The states from which `to` may follow.
  std::vector<std::string> origins(std::string_view to) const;
  /// The refusal of a move, with the allowed states, as a sentence for `details.status`.
  std::string refusal(std::string_view from, std::string_view to) const;
};

const StateMachine& order_states();
/// The moves of an order that follows its store: only forwards, but past any number of states.
const StateMachine& store_order_states();
const StateMachine& shipment_states();
const StateMachine& dispatch_states();
/// Null for records without a status (customers, products).
const StateMachine* states_of(EntityType type);

}  // namespace waybill::domain
