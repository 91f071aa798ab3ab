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

}  // namespace
}  // namespace waybill::tests
