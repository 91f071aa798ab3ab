#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "domain/purchases/purchase.hpp"

// Purchases of the tests, in each of their states.
namespace waybill::domain {

inline const Time start = parse_timestamp("2026-11-20T08:00:00Z").value();
inline const Guid shipment = Guid::from_name(namespace_url, "shipment");

inline BoughtFacts label_of(std::string gateway_id, bool has_label = true) {
  return {.gateway_id = std::move(gateway_id),
          .tracking_numbers = {"1Z1"},
          .tracking_url = "https://carrier.test/1Z1",
          .service_code = "ground",
          .service_name = "Ground",
          .price = {"7.50", "EUR"},
          .has_label = has_label};
}

inline Quote quote_of(std::string price = "7.50", std::string currency = "EUR") {
  return {"rate", "ground", "Ground", {std::move(price), std::move(currency)}};
}

inline Purchase requested_at_start() {
  Purchase purchase;
  purchase.connector = "karrio";
  purchase.requested_at = start;
  purchase.next_at = start;
  return purchase;
}

inline Purchase drafted_purchase() {
  Purchase purchase = requested_at_start();
  EXPECT_EQ(looked_up(purchase, NothingFound{}, start), Effect::noted);
  EXPECT_EQ(drafted(purchase, "g1", quote_of(), start), Effect::noted);
  return purchase;
}

inline Purchase buying_purchase() {
  Purchase purchase = drafted_purchase();
  EXPECT_EQ(begin_buying(purchase, start), Effect::moved);
  return purchase;
}

inline Purchase unknown_purchase() {
  Purchase purchase = buying_purchase();
  EXPECT_EQ(answered(purchase, UnknownFacts{{"TIMEOUT", "No answer."}}, start), Effect::moved);
  return purchase;
}

inline Purchase bought_purchase(bool has_label = true) {
  Purchase purchase = buying_purchase();
  EXPECT_EQ(answered(purchase, label_of("g1", has_label), start), Effect::moved);
  return purchase;
}

inline Purchase voiding_purchase() {
  Purchase purchase = bought_purchase();
  EXPECT_EQ(void_requested(purchase, start), Effect::moved);
  EXPECT_EQ(next_step(purchase, start), PurchaseStep::void_label);
  EXPECT_EQ(begin_voiding(purchase, start), Effect::noted);
  return purchase;
}

/// The times after `since` at which a purchase is looked up, if `look` is the result of each.
template <typename Look>
std::vector<Duration> lookups_of(Purchase& purchase, Time since, const Look& look) {
  std::vector<Duration> times;
  while (purchase.next_at && times.size() < 1'000) {
    const Time now = *purchase.next_at;
    EXPECT_NE(next_step(purchase, now), PurchaseStep::none);
    EXPECT_EQ(next_step(purchase, now - std::chrono::microseconds(1)), PurchaseStep::none);
    times.push_back(now - since);
    look(purchase, now);
    EXPECT_TRUE(!purchase.next_at || *purchase.next_at > now);
  }
  return times;
}

}  // namespace waybill::domain
