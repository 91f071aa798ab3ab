// The erasure of a person whose events are in digests.
#include "tests/workflows/timing/digests_fixture.hpp"

namespace waybill::tests {
namespace {

class ErasedDigests : public DigestTest {
 protected:
  std::string customer(std::string_view name) {
    const Response made = tenant.http.post("/api/v1/Customers",
                                           {{"name", name}, {"email", std::string(name) + "@example.com"}});
    EXPECT_EQ(made.status, 201) << made.text;
    return text_at(made.data(), "guid");
  }
  std::string order_of(const std::string& customer) {
    return tenant.create_order({{"customer", nullptr}, {"customerId", customer}});
  }
  void erase(const std::string& customer) {
    const Response erased = tenant.http.post("/api/v1/Customers/" + customer + "/erase");
    EXPECT_EQ(erased.status, 200) << erased.text;
  }

  const std::string erased_ = customer("quux");
  const std::string other_ = customer("ada");
};

TEST_F(ErasedDigests, LeaveThePersonsItemsOut) {
  const std::string workflow = collecting({{"every", "PT1H"}});
  const std::string gone = order_of(erased_), kept = order_of(other_);
  tenant.settle();
  erase(erased_);
  EXPECT_EQ(at(ledger(), "digests"),
            (json::value{{"events", 2}, {"collected", 1}, {"dropped", 1}, {"runs", 0}}));
  EXPECT_EQ(at(explained(gone, workflow), "reason"), "digest_dropped");
  jump();
  const auto received = wait_for(1);
  ASSERT_EQ(received.size(), 1U);
  EXPECT_EQ(orders_of(received[0].json_body()), std::vector<std::string>{kept});
  EXPECT_EQ(at(received[0].json_body(), "data.count"), json::value(1));
  EXPECT_EQ(received[0].body.find("quux"), std::string::npos);
  ledger();
}

TEST_F(ErasedDigests, WithoutAnotherItemHaveNoRun) {
  const std::string workflow = collecting({{"every", "PT1H"}});
  order_of(erased_);
  tenant.settle();
  erase(erased_);
  jump();
  EXPECT_TRUE(eventually([&] { return open() == 0; }));
  EXPECT_EQ(tenant.runs("workflowId=" + workflow).size(), 0U);
  ledger();
}

TEST_F(ErasedDigests, LeaveThemOutOfAHeldRunToo) {
  const json::object steps{{"steps", {{{"type", "webhook"}, {"recipient", url("steps")}}}}};
  const std::string one = collecting({{"every", "PT1H"}}), several = collecting({{"every", "PT1H"}}, steps);
  pause(one);
  pause(several);
  order_of(erased_);
  const std::string kept = order_of(other_);
  jump();
  tenant.run_with_status(one, "held");
  tenant.run_with_status(several, "held");
  erase(erased_);
  EXPECT_EQ(at(ledger(), "digests"),
            (json::value{{"events", 4}, {"collected", 0}, {"dropped", 2}, {"runs", 2}}));
  for (const auto& [workflow, hook] : {std::pair(one, "hook"), std::pair(several, "steps")}) {
    ASSERT_EQ(tenant.http.get("/api/workflows/resume-workflow?workflowId=" + workflow).status, 200);
    const auto received = wait_for(1, hook);
    ASSERT_EQ(received.size(), 1U) << hook;
    EXPECT_EQ(orders_of(received[0].json_body()), std::vector<std::string>{kept}) << hook;
    EXPECT_EQ(received[0].body.find("quux"), std::string::npos) << hook;
  }
}

/// An order that has another customer by now.
TEST_F(ErasedDigests, LeaveOutWhatWasThePersonsAtTheTime) {
  const std::string held = collecting({{"every", "PT1H"}}), done = collecting({{"every", "PT1H"}});
  pause(held);
  const std::string left = order_of(erased_), kept = order_of(other_);
  jump();
  tenant.run_with_status(held, "held");
  const std::string run = text_at(tenant.run_with_status(done, "succeeded"), "guid");
  collecting({{"every", "PT1H"}}, {{"triggers", {"order_updated"}},
                                   {"action", {{"type", "webhook"}, {"recipient", url("open")}}}});
  tenant.put_order(left, {{"notes", "of the person"}});
  tenant.put_order(left, {{"customerId", other_}});
  tenant.put_order(left, {{"notes", "of the other"}});
  tenant.settle();
  erase(erased_);

  ASSERT_EQ(tenant.http.get("/api/workflows/resume-workflow?workflowId=" + held).status, 200);
  const Response replayed = tenant.http.post("/api/workflows/runs/" + run + "/replay", json::object());
  ASSERT_EQ(replayed.status, 201) << replayed.text;
  jump();
  const auto received = wait_for(3), updates = wait_for(1, "open");
  ASSERT_EQ(received.size(), 3U);
  ASSERT_EQ(updates.size(), 1U);
  EXPECT_NE(received[0].body.find("quux"), std::string::npos) << "sent before the erasure";
  for (const auto& [message, orders] :
       {std::pair(received[1], kept), std::pair(received[2], kept), std::pair(updates[0], left)}) {
    EXPECT_EQ(message.body.find("quux"), std::string::npos) << message.body;
    EXPECT_EQ(orders_of(message.json_body()), std::vector{orders});
  }
  ledger();
}

TEST_F(ErasedDigests, ForgetTheirValuesWithTheirLastItems) {
  const auto values = [&] {
    return tenant.sql.number(
        "select (select count(*) from digests where business_id = $1 and value like '%quux%')"
        " + (select count(*) from run_step_texts where business_id = $1 and request like '%quux%')",
        {tenant.id});
  };
  collecting({{"every", "PT1H"}, {"by", "customer.email"}});
  order_of(erased_);
  order_of(other_);
  jump();
  ASSERT_EQ(wait_for(2).size(), 2U);
  const std::string collected = collecting({{"every", "PT1H"}, {"by", "customer.email"}});
  const std::string same = collecting({{"every", "PT1H"}, {"by", "currency"}});
  order_of(erased_);
  tenant.settle();
  ASSERT_GT(values(), 0);
  erase(erased_);
  EXPECT_EQ(values(), 0);

  // The value that was forgotten is collected again.
  const std::string later = order_of(other_);
  jump();
  const std::string run = text_at(tenant.run_with_status(same, "succeeded"), "guid");
  for (const auto& each : wait_for(5)) {
    if (each.header("webhook-id").substr(4) != run) continue;
    EXPECT_EQ(at(each.json_body(), "data.by"), json::value("EUR"));
    EXPECT_EQ(orders_of(each.json_body()), std::vector{later});
  }
  EXPECT_EQ(tenant.runs("workflowId=" + collected).size(), 1U);
  ledger();
}

}  // namespace
}  // namespace waybill::tests
