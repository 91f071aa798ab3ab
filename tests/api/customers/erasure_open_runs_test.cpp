// Runs about another customer that has the erased person among its contacts.
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/ascii.hpp"
#include "tests/api/customers/erasure_fixture.hpp"
#include "tests/harness/eventually.hpp"

namespace waybill::tests {
namespace {

class ErasedContact : public ErasureTest {
 protected:
  /// A workflow for changes of customers. Returns its guid.
  std::string follow(std::string_view hook, const json::object& more = {}) {
    json::object fields{{"entityType", "Customer"}};
    for (const auto& [field, value] : more) fields[field] = value;
    return tenant.webhook(receiver.url(tenant.path(hook)), "customer_updated", fields);
  }
  std::string create_other() {
    const auto created = http.post("/api/v1/Customers", {{"name", "Ada"}});
    EXPECT_EQ(created.status, 201) << created.text;
    return text_at(created.data(), "guid");
  }
  Response add_person_to(const std::string& customer) {
    return http.post("/api/v1/Customers/" + customer + "/contacts", {{"name", name}, {"email", email}},
                     {{"Idempotency-Key", "the contact"}});
  }
  bool has_run(const std::string& workflow, std::string_view status) {
    return tenant.sql.number("select count(*) from run_queue where workflow_id = $1 and status = $2",
                             {workflow, std::string(status)}) == 1;
  }
  void make_due() {
    // The time of a running one is the end of its lease.
    tenant.sql.rows(
        "update run_queue set due_at = now() where business_id = $1 and status not in ('held', 'running')",
        {tenant.id});
    tenant.sql.exec("notify waybill_queue");
  }

  std::string customer_of_person = create_person();
};

TEST_F(ErasedContact, StaysAwayFromRunsInEachState) {
  const auto gate = std::make_shared<Gate>();
  receiver.answer_next(tenant.path("in-flight"), Reply::after(gate));
  receiver.answer_next(tenant.path("refused"), Reply::with_status(503, {{"Retry-After", "3600"}},
                                                                  "No such person: " + std::string(name)));
  const auto in_flight = follow("in-flight");
  const auto refused = follow("refused");
  const auto waiting = follow("waiting", {{"delay", "PT2H"}});
  const auto paused = follow("paused");
  tenant.sql.rows("update workflows set paused_reason = 'a test', paused_at = now() where guid = $1",
                  {paused});
  const json::object later{{"type", "webhook"}, {"recipient", receiver.url(tenant.path("later"))}};
  const auto steps = text_at(
      tenant.configure({{"name", "steps"},
                        {"entityType", "Customer"},
                        {"triggerId", trigger_guid("customer_updated")},
                        {"steps", json::array{json::object{{"type", "webhook"},
                                                           {"recipient", receiver.url(tenant.path("first"))}},
                                              json::object{{"type", "wait"}, {"delay", "PT2H"}}, later}}}),
      "guid");
  const auto other = create_other();
  ASSERT_EQ(add_person_to(other).status, 201);
  ASSERT_TRUE(eventually([&] {
    return has_run(in_flight, "running") && has_run(refused, "retrying") && has_run(waiting, "waiting") &&
           has_run(paused, "held") && has_run(steps, "waiting");
  }));
  for (const auto* const hook : {"in-flight", "refused", "first"}) {
    const auto sent = receiver.wait_for(tenant.path(hook), 1);
    ASSERT_EQ(sent.size(), 1U) << hook;
    EXPECT_NE(sent[0].body.find(name), std::string::npos) << hook;
  }

  std::jthread eraser([&, client = world.waybill.http(http.token())]() mutable {
    EXPECT_EQ(client.post("/api/v1/Customers/" + customer_of_person + "/erase").status, 200);
    EXPECT_TRUE(has_run(in_flight, "running") == false) << "the attempt has ended before";
  });
  EXPECT_TRUE(eventually(
      [&] { return world.database.number("select count(*) from customers where name = 'Erased'") == 1; }));
  gate->open();
  eraser.join();
  tenant.settle();
  EXPECT_EQ(traces(), std::vector<std::string>());

  ASSERT_EQ(http.get("/api/workflows/resume-workflow?workflowId=" + paused).status, 200);
  ASSERT_TRUE(eventually([&] { return !has_run(paused, "held"); }));
  make_due();
  for (const auto* const hook : {"waiting", "paused", "later"}) {
    const auto sent = receiver.wait_for(tenant.path(hook), 1);
    ASSERT_EQ(sent.size(), 1U) << hook;
    EXPECT_EQ(ascii_lower(sent[0].body).find("quux"), std::string::npos) << sent[0].body;
    EXPECT_EQ(text_at(sent[0].json_body(), "data.entity.guid"), other);
  }
  EXPECT_TRUE(eventually([&] {
    return tenant.sql.number("select count(*) from run_queue where business_id = $1", {tenant.id}) == 0;
  }));
  EXPECT_EQ(traces(), std::vector<std::string>());
}

// The interrupted request has removed the contact, so the repeated one finds it nowhere.
TEST_F(ErasedContact, StaysAwayFromRunsAfterAnInterruptedErasure) {
  const auto workflow = follow("hook");
  tenant.create_order({{"customer", nullptr}, {"customerId", customer_of_person}});
  ASSERT_EQ(add_person_to(create_other()).status, 201);
  tenant.run_with_status(workflow, "succeeded");

  auto holder = world.database.connect();
  holder.exec("begin; select from orders for update");
  std::jthread eraser([client = world.waybill.http(http.token()), path = customer_of_person]() mutable {
    EXPECT_EQ(client.post("/api/v1/Customers/" + path + "/erase").status, 503);
  });
  EXPECT_TRUE(eventually([&] {
    return tenant.sql.number(
               "select count(pg_terminate_backend(pid)) from pg_stat_activity where datname = "
               "current_database() and wait_event_type = 'Lock' and application_name = 'waybill analysis'") ==
           1;
  }));
  eraser.join();
  holder.exec("rollback");
  EXPECT_FALSE(traces().empty()) << "the run";
  erase(customer_of_person);
  EXPECT_EQ(traces(), std::vector<std::string>());
}

TEST_F(ErasedContact, IsNotInTheKeptAnswerOfTheRequestThatAddedIt) {
  const auto other = create_other();
  EXPECT_NE(add_person_to(other).text.find(name), std::string::npos);
  erase(customer_of_person);
  const auto again = add_person_to(other);
  EXPECT_EQ(again.header("Idempotency-Replayed"), "true");
  EXPECT_TRUE(at(again.body, "data").is_null()) << again.text;
}

}  // namespace
}  // namespace waybill::tests
