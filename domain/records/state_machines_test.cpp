#include "domain/records/state_machines.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace waybill::domain {
namespace {

using Moves = std::map<std::string_view, std::set<std::string_view>>;

// Requires that exactly the moves of the table are allowed.
void expect_moves(const StateMachine& machine, std::size_t states, const Moves& expected) {
  EXPECT_EQ(machine.states.size(), states);
  for (const auto& [from, to] : expected) {
    EXPECT_TRUE(machine.has_state(from)) << from;
    for (const auto state : to) EXPECT_TRUE(machine.has_state(state)) << state;
  }
  for (const std::string_view from : machine.states) {
    const auto row = expected.find(from);
    const std::set<std::string_view> allowed =
        row == expected.end() ? std::set<std::string_view>{} : row->second;
    for (const std::string_view to : machine.states) {
      EXPECT_EQ(machine.allows(from, to), allowed.contains(to))
          << machine.name << ": " << from << " to " << to;
    }
    const auto next = machine.next(from);
    EXPECT_EQ(std::set<std::string_view>(next.begin(), next.end()), allowed) << from;
  }
}

TEST(StateMachines, OrderMovesAreThoseOfTheContract) {
  expect_moves(order_states(), 7,
               {{"draft", {"pending", "cancelled"}},
                {"pending", {"processing", "ready", "shipped", "cancelled"}},
                {"processing", {"pending", "ready", "shipped", "cancelled"}},
                {"ready", {"processing", "shipped", "cancelled"}},
                {"shipped", {"delivered"}}});
}

TEST(StateMachines, AnOrderFollowsItsStoreOnlyForwards) {
  expect_moves(store_order_states(), 7,
               {{"draft", {"pending", "processing", "ready", "shipped", "delivered", "cancelled"}},
                {"pending", {"processing", "ready", "shipped", "delivered", "cancelled"}},
                {"processing", {"ready", "shipped", "delivered", "cancelled"}},
                {"ready", {"shipped", "delivered", "cancelled"}},
                {"shipped", {"delivered"}}});
}

TEST(StateMachines, ShipmentMovesAreThoseOfTheContract) {
  expect_moves(
      shipment_states(), 8,
      {{"created", {"collected", "in_transit", "out_for_delivery", "delivered", "exception", "cancelled"}},
       {"collected", {"in_transit", "out_for_delivery", "delivered", "exception", "returned"}},
       {"in_transit", {"out_for_delivery", "delivered", "exception", "returned"}},
       {"out_for_delivery", {"in_transit", "delivered", "exception", "returned"}},
       {"exception", {"in_transit", "out_for_delivery", "delivered", "returned", "cancelled"}},
       {"delivered", {"returned"}}});
}

TEST(StateMachines, DispatchMovesAreThoseOfTheContract) {
  expect_moves(dispatch_states(), 5,
               {{"draft", {"ready", "cancelled"}},
                {"ready", {"draft", "in_progress", "cancelled"}},
                {"in_progress", {"completed", "cancelled"}}});
}

TEST(StateMachines, TheOriginsOfAStateMayMoveToIt) {
  EXPECT_EQ(order_states().origins("shipped"), (std::vector<std::string>{"pending", "processing", "ready"}));
  EXPECT_EQ(shipment_states().origins("created"), std::vector<std::string>{});
}

TEST(StateMachines, UnknownStatesLeadNowhere) {
  EXPECT_FALSE(order_states().has_state("lost"));
  EXPECT_FALSE(order_states().has_state("Pending"));
  EXPECT_TRUE(order_states().next("lost").empty());
  EXPECT_FALSE(order_states().allows("pending", "lost"));
}

TEST(StateMachines, ARefusalNamesTheAllowedMoves) {
  EXPECT_EQ(order_states().refusal("draft", "shipped"),
            "order cannot move from draft to shipped; allowed: pending, cancelled");
  EXPECT_EQ(order_states().refusal("delivered", "draft"),
            "order cannot move from delivered to draft; delivered is final");
}

TEST(StateMachines, OnlyOrdersAndShipmentsHaveAStatus) {
  EXPECT_EQ(states_of(EntityType::order), &order_states());
  EXPECT_EQ(states_of(EntityType::shipment), &shipment_states());
  EXPECT_EQ(states_of(EntityType::customer), nullptr);
  EXPECT_EQ(states_of(EntityType::product), nullptr);
}

}  // namespace
}  // namespace waybill::domain
