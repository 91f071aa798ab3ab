#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "tests/harness/eventually.hpp"
#include "tests/workflows/actions/steps_fixture.hpp"

namespace waybill::tests {

/// Workflows with steps that buy and void labels. The carrier has a connector that no worker knows, so SQL
/// moves the purchases.
class LabelStepsTest : public StepsTest {
 protected:
  /// The guid of a carrier that can buy labels.
  std::string connect_carrier() {
    const std::string carrier = text_at(tenant.http.get("/api/carriers").data(), "0.guid");
    tenant.sql.exec(
        "insert into carrier_configurations (business_id, carrier_id, account_number, test_mode, connector) "
        "values ('" +
        tenant.id + "', '" + carrier + "', 'a', false, 'of a test') on conflict do nothing");
    return carrier;
  }
  /// A shipment of a carrier that can buy labels; of an order unless that is empty.
  std::string shipment(std::string_view order = {}) {
    const std::string carrier = connect_carrier();
    std::string guid = tenant.insert_shipment(order);
    tenant.sql.exec("update shipments set carrier_id = '" + carrier +
                    "', service_level = 'express' where guid = '" + guid + "'");
    return guid;
  }
  std::string label_workflow(std::string_view entity_type, std::string_view trigger, const json::array& steps,
                             const json::object& more = {}) {
    json::object all{{"entityType", entity_type}, {"triggerId", trigger_guid(trigger)}};
    for (const auto& [key, value] : more) all[key] = value;
    return workflow(steps, all);
  }
  static json::object buy(const json::object& more = {}) {
    json::object step{{"type", "buy_label"}};
    for (const auto& [key, value] : more) step[key] = value;
    return step;
  }
  /// Moves the last purchase of a shipment, and its label.
  void move_label(std::string_view shipment, std::string_view status, std::string_view more = {}) {
    tenant.sql.exec("begin; update purchases set status = '" + std::string(status) +
                    "', buy_begun_at = now(), gateway_id = 'g', bought_at = case when '" +
                    std::string(status) + "' in ('bought', 'voiding', 'voided') then now() end" +
                    std::string(more) + " where shipment_id = '" + std::string(shipment) +
                    "' and status not in ('refused', 'voided'); update shipments set label_status = '" +
                    std::string(status) + "' where guid = '" + std::string(shipment) + "'; commit");
  }
  void buy_label(std::string_view shipment) {
    move_label(shipment, "bought",
               ", price = 7.90, currency = 'EUR', tracking_numbers = '{1Z9}', service_code = 'ups_ground'");
  }
  /// Waits until this number of runs waits for a label.
  void wait_for_waiting(std::int64_t count = 1) {
    ASSERT_TRUE(eventually([&] {
      return tenant.sql.number(
                 "select count(*) from run_queue where business_id = $1 and status = 'waiting' "
                 "and code = 'LABEL' and awaited_purchase is not null",
                 {tenant.id}) == count;
    }));
  }
  std::int64_t purchases() {
    return tenant.sql.number("select count(*) from purchases where business_id = $1", {tenant.id});
  }
  /// A workflow that begins when a shipment is collected.
  std::string when_collected(const json::array& steps, const json::object& more = {}) {
    return label_workflow("Shipment", "shipment_collected", steps, more);
  }
  void change(const std::string& flow, json::object fields) {
    fields["guid"] = flow;
    const Response changed = tenant.http.post("/api/workflows/configure", fields);
    ASSERT_EQ(changed.status, 200) << changed.text;
  }
  void pause(const std::string& flow) {
    tenant.sql.rows("update workflows set paused_reason = 'x', paused_at = now() where guid = $1", {flow});
  }
  void resume(const std::string& flow) {
    ASSERT_EQ(tenant.http.get("/api/workflows/resume-workflow?workflowId=" + flow).status, 200);
  }
  /// The status of the last purchase of a shipment.
  std::string purchase_of(const std::string& parcel) {
    return tenant.sql.value(
        "select status from purchases where shipment_id = $1 order by attempt desc limit 1", {parcel});
  }
  /// Starts a replay and returns its guid.
  std::string begin_replay(const json::object& run, const json::object& body = {}) {
    const Response replayed =
        tenant.http.post("/api/workflows/runs/" + text_at(run, "guid") + "/replay", body);
    EXPECT_EQ(replayed.status, 201) << replayed.text;
    return text_at(replayed.body, "data.guid");
  }
  json::object ended_run(const std::string& guid) {
    json::object run;
    EXPECT_TRUE(eventually([&] {
      run = tenant.run(guid);
      return !run.at("finishedAt").is_null();
    })) << to_json(run);
    return run;
  }
  bool is_balanced() {
    return tenant.http.get("/api/workflows/ledger").data().at("balanced") == json::value(true);
  }
};

}  // namespace waybill::tests
