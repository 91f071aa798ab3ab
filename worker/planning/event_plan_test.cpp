#include "worker/planning/event_plan.hpp"

#include <new>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace waybill::worker {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;

const Guid planned_business = Guid::from_name(namespace_url, "business");
const Time now = parse_timestamp("2026-11-20T05:45:12.345Z").value();
constexpr const char* hook = R"({"type": "webhook", "recipient": "https://a.example/", "template": null})";
constexpr const char* move = R"({"type": "update_status", "recipient": "", "status": "ready"})";

/// The runs that a new order causes through workflows.
class EventPlan : public testing::Test {
 protected:
  EventPlan() {
    change_.created = true;
    change_.entity = {{"status", "pending"}, {"currency", "EUR"}, {"customer", {{"name", "Ada"}}}};
  }

  Workflow& add(const char* action, const char* conditions = "{}", const char* triggers = "order_created") {
    auto workflow = std::make_shared<Workflow>(
        Workflow{.guid = Guid::from_name(namespace_url, std::to_string(workflows_.size())),
                 .business_id = planned_business,
                 .business = std::make_shared<const storage::BusinessFacts>(),
                 .rule = matching::make_rule(triggers, json::parse(conditions).as_object())});
    workflow->set_action(json::parse(action).as_object(), {});
    workflows_.push_back(workflow);
    return *workflow;
  }

  std::vector<PlannedRun> plan(EventLimits limits = {}) {
    if (limits.time == EventLimits().time) limits.time = std::chrono::hours(1);
    const storage::StoredEvent event{.id = 7,
                                     .business_id = planned_business,
                                     .entity_type = domain::EntityType::order,
                                     .entity_id = Guid::from_name(namespace_url, "order"),
                                     .at = now,
                                     .cause = {},
                                     .detail = {},
                                     .before = {},
                                     .after = {}};
    EventWorkflows sorted{.open = workflows_, .refused = refused_, .later = {}};
    PlannedEvent planned = plan_event(event, change_, domain::fired_triggers(change_), sorted, limits, now);
    later_ = sorted.later;
    collected_ = std::move(planned.collected);
    return std::move(planned.runs);
  }

  /// True for each run that has no texts.
  static std::vector<bool> deferred(const std::vector<PlannedRun>& runs) {
    std::vector<bool> all;
    all.reserve(runs.size());
    for (const PlannedRun& planned : runs) all.push_back(storage::is_deferred(planned.run.key));
    return all;
  }

  domain::Change change_;
  std::vector<WorkflowPtr> workflows_, refused_, later_;
  std::vector<storage::CollectedItem> collected_;
};

TEST_F(EventPlan, RunsBeyondALimitHaveNoTexts) {
  for (int i = 0; i < 5; ++i) add(hook);
  EXPECT_THAT(deferred(plan()), ElementsAre(false, false, false, false, false));
  EXPECT_THAT(deferred(plan({.runs = 3})), ElementsAre(false, false, false, true, true));
  const std::size_t body = plan().front().run.key.body->size();
  EXPECT_THAT(deferred(plan({.bytes = body + 1})), ElementsAre(false, true, true, true, true))
      << "a request counts as well as its body";
  EXPECT_THAT(deferred(plan({.time = {}})), Each(true));
  EXPECT_THAT(deferred(plan({.has_memory = false})), Each(true));
}

TEST_F(EventPlan, AllRunsHaveTextsIfNoneMayBeDeferred) {
  for (int i = 0; i < 3; ++i) add(hook);
  EXPECT_THAT(deferred(plan({.may_defer = false, .has_memory = false, .runs = 1, .bytes = 1, .time = {}})),
              Each(false));
}

TEST_F(EventPlan, ChangesOfRecordsKeepTheOrderOfTheWorkflowsBehindOneWithoutTexts) {
  add(move);
  add(R"({"type": "steps", "steps": [{"type": "update_status", "recipient": "", "status": "ready"}]})");
  add(hook);
  add(move);
  EXPECT_THAT(deferred(plan()), ElementsAre(false, true, false, true));
}

TEST_F(EventPlan, RunsOfSeveralStepsHaveNoTexts) {
  add(R"({"type": "steps", "steps": [{"type": "webhook", "recipient": "https://a.example/", "template": null}]})");
  add(move);
  EXPECT_THAT(deferred(plan({.may_defer = false})), ElementsAre(true, false));
}

TEST_F(EventPlan, ConditionsThatReadRelativesAreEvaluated) {
  add(hook, R"({"customer.name": "Grace"})");
  EXPECT_THAT(plan(), IsEmpty());
  add(hook, R"({"customer.name": "Ada"})");
  EXPECT_EQ(plan().size(), 1U);
}

TEST_F(EventPlan, ConditionsThatNeedTooMuchWorkEndARunAndLeaveTheNextWorkflowsForLater) {
  json::object customer{{"name", std::string(900'000, 'x')}};
  change_.entity["customer"] = customer;
  json::array any;
  for (int i = 0; i < 100; ++i)
    any.push_back({{"customer.name", {{"contains", "needle " + std::to_string(i)}}}});
  const std::string hostile = to_json(json::object{{"any", any}});
  refused_.push_back(std::make_shared<Workflow>(add(hook)));
  workflows_.clear();
  add(hook);
  add(hook, hostile.c_str());
  add(move);
  add(hook, R"({"customer.name": "Ada"})");
  add(move);
  const auto runs = plan();
  ASSERT_EQ(runs.size(), 4U);
  for (const std::size_t dead : {0U, 2U}) {
    EXPECT_EQ(runs[dead].run.state.status, storage::RunStatus::dead) << dead;
    EXPECT_EQ(runs[dead].run.state.code, "PAYLOAD_TOO_LARGE") << dead;
  }
  EXPECT_EQ(runs[3].run.key.workflow_id, workflows_[2]->guid) << "it reads no relatives";
  EXPECT_THAT(later_, ElementsAre(workflows_[3], workflows_[4])) << "in their order";
}

TEST_F(EventPlan, RunsWithoutTextsAreCountedByTheLimitOfTheirWorkflowToo) {
  json::object limit{{"by", "currency"}, {"count", 1}, {"per", "P1D"}};
  FieldErrors errors;
  add(hook);
  add(hook).pacing.limit = domain::parse_limit(limit, domain::record_type(domain::EntityType::order), errors);
  ASSERT_TRUE(errors.empty());
  const auto runs = plan({.has_memory = false});
  EXPECT_TRUE(runs[0].run.key.limit_value.empty());
  EXPECT_FALSE(runs[1].run.key.limit_value.empty());
}

/// An action whose texts need more memory than there is.
class Hungry : public actions::Action {
 public:
  std::string_view type() const override { return "hungry"; }
  json::object check(const json::object& definition, const actions::CheckContext& /*context*/,
                     FieldErrors& /*errors*/) const override {
    return definition;
  }
  actions::Plan plan(const actions::WorkflowView& /*workflow*/,
                     const actions::EventView& /*event*/) const override {
    throw std::bad_alloc();
  }
  std::string destination(const json::object& /*request*/, const Guid& /*planned_business*/) const override {
    return "";
  }
  void perform(const actions::Attempt& /*attempt*/, actions::Effects& /*effects*/,
               Finish /*finish*/) const override {}
};

TEST_F(EventPlan, ARunWhoseTextsNeedTooMuchMemoryEndsAlone) {
  const Hungry hungry;
  add(hook).action = &hungry;
  add(hook);
  const std::vector<PlannedRun> runs = plan();
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0].run.state.status, storage::RunStatus::dead);
  EXPECT_EQ(runs[0].run.state.code, "PAYLOAD_TOO_LARGE");
  EXPECT_EQ(runs[1].run.state.status, storage::RunStatus::queued);
}

constexpr const char* digest = R"(6:order_created:{"by":"customer.name","every":"PT1H"})";

TEST_F(EventPlan, ADigestCollectsTheRecordWithItsEvent) {
  add(hook);
  add(hook, R"({"customer.name": "Grace"})", digest);
  add(hook, R"({"customer.name": "Ada"})", digest);
  EXPECT_EQ(plan().size(), 1U);
  ASSERT_EQ(collected_.size(), 1U);
  const storage::CollectedItem& item = collected_.front();
  EXPECT_EQ(item.workflow_id, workflows_.back()->guid);
  EXPECT_EQ(item.value, "\"Ada\"");
  EXPECT_EQ(item.item, R"({"status":"pending","currency":"EUR","customer":{"name":"Ada"},"event":{"id":7,)"
                       R"("type":"order_created","timestamp":"2026-11-20T05:45:12.345Z"},"previous":{}})");
}

TEST_F(EventPlan, AnItemThatNoListCanHoldHasADeadRun) {
  add(hook, "{}", digest);
  change_.entity["notes"] = std::string(domain::largest_digest, 'x');
  const std::vector<PlannedRun> runs = plan();
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.front().run.state.code, "PAYLOAD_TOO_LARGE");
  EXPECT_EQ(runs.front().run.key.event_id, 7U);
  EXPECT_THAT(collected_, IsEmpty());
}

TEST_F(EventPlan, DigestsBeyondTheBytesOfAnEventCollectItLater) {
  for (int i = 0; i < 3; ++i) add(hook, "{}", digest);
  EXPECT_THAT(plan(), IsEmpty());
  EXPECT_EQ(collected_.size(), 3U);
  EXPECT_THAT(plan({.bytes = collected_.front().item.size() + 1}), IsEmpty());
  EXPECT_EQ(collected_.size(), 2U);
  EXPECT_EQ(later_, std::vector<WorkflowPtr>{workflows_.back()});
}

}  // namespace
}  // namespace waybill::worker
