#include "worker/planning/catalogue.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace waybill::worker {
namespace {

using testing::ElementsAre;

const Guid business = Guid::from_name(namespace_url, "business");
const Time created = parse_timestamp("2026-11-20T05:45:12.345Z").value();

storage::StoredWorkflow stored(const char* name, Duration after, std::uint64_t epoch) {
  return {.business_id = business,
          .guid = Guid::from_name(namespace_url, name),
          .name = name,
          .entity_type = domain::EntityType::order,
          .trigger_code = "order_updated",
          .action = R"({"type": "update_status", "recipient": "", "status": "ready"})",
          .conditions = "{}",
          .is_active = true,
          .ordered = false,
          .delay = {},
          .paused = false,
          .version = 1,
          .active_since = created,
          .deleted = false,
          .epoch = epoch,
          .business = {.name = "b"},
          .sealed_secrets = {},
          .templates = {},
          .created_at = created + after};
}

TEST(Catalogue, WorkflowsKeepTheOrderOfTheirCreation) {
  const SecretBox secrets{SecretBox::Key{}};
  Catalogue catalogue(secrets);
  const auto names = [&] {
    std::vector<std::string> all;
    for (const WorkflowPtr& each : catalogue.active(business, domain::EntityType::order, created))
      all.push_back(each->name);
    return all;
  };
  using std::chrono::microseconds;
  catalogue.apply({stored("second", microseconds(2), 1), stored("first", microseconds(1), 2)});
  EXPECT_THAT(names(), ElementsAre("first", "second"));
  catalogue.apply({stored("first", microseconds(1), 3), stored("third", microseconds(3), 4)});
  EXPECT_THAT(names(), ElementsAre("first", "second", "third")) << "a change does not move it";
}

TEST(Catalogue, WorkflowsOfABusinessShareItsSettings) {
  const SecretBox secrets{SecretBox::Key{}};
  Catalogue catalogue(secrets);
  const auto read = [&](const char* name, const char* business_name, const char* zone_offsets = "") {
    storage::StoredWorkflow workflow = stored(name, Duration(1), 1);
    workflow.business = {.name = business_name, .reply_to = "b@example.com", .zone_offsets = zone_offsets};
    return workflow;
  };
  const auto business_of = [&](const char* name) {
    return catalogue.find(Guid::from_name(namespace_url, name))->business;
  };
  catalogue.apply({read("plain", "b"), read("dated", "b", "0,0"), read("plain 2", "b")});
  catalogue.apply({read("dated 2", "b", "0,0")});
  EXPECT_EQ(business_of("plain"), business_of("plain 2"));
  EXPECT_EQ(business_of("dated"), business_of("dated 2")) << "also of a later portion";
  EXPECT_EQ(business_of("plain")->zone_offsets, "");
  EXPECT_EQ(business_of("dated")->zone_offsets, "0,0");

  catalogue.apply({read("plain", "renamed"), read("dated", "renamed", "0,0")});
  EXPECT_EQ(business_of("plain")->name, "renamed");
  EXPECT_EQ(business_of("dated")->name, "renamed");
  EXPECT_EQ(business_of("plain 2")->name, "b") << "until it is read again";
  EXPECT_EQ(business_of("dated 2")->name, "b");
  catalogue.apply({read("plain 2", "renamed"), read("dated 2", "renamed", "0,0")});
  EXPECT_EQ(business_of("plain"), business_of("plain 2"));
  EXPECT_EQ(business_of("dated"), business_of("dated 2"));

  const std::weak_ptr<const storage::BusinessFacts> settings = business_of("plain");
  catalogue.keep_only({});
  EXPECT_TRUE(settings.expired()) << "no workflow has them";
}

TEST(Catalogue, BusinessesDoNotShareSettings) {
  const SecretBox secrets{SecretBox::Key{}};
  Catalogue catalogue(secrets);
  storage::StoredWorkflow other = stored("other", Duration(1), 1);
  other.business_id = Guid::from_name(namespace_url, "another business");
  catalogue.apply({stored("one", Duration(1), 1), other});
  EXPECT_NE(catalogue.find(Guid::from_name(namespace_url, "one"))->business,
            catalogue.find(other.guid)->business);
}

TEST(Catalogue, ABusinessMayBeWatchedByRunsOfUnreadableWorkflows) {
  const SecretBox secrets{SecretBox::Key{}};
  const auto may_be_watched = [&](const auto& change) {
    Catalogue catalogue(secrets);
    storage::StoredWorkflow workflow = stored("any", Duration(1), 1);
    change(workflow);
    catalogue.apply({workflow});
    return catalogue.may_be_watched(business);
  };
  EXPECT_FALSE(may_be_watched([](auto&) {}));
  EXPECT_TRUE(may_be_watched([](auto& workflow) { workflow.watches = true; }));
  EXPECT_TRUE(may_be_watched([](auto& workflow) {
    workflow.watches = true;
    workflow.trigger_code = "of a later release";
  }));
}

TEST(Catalogue, ForgetsLostWorkflowsAndTheirEpochs) {
  const SecretBox secrets{SecretBox::Key{}};
  Catalogue catalogue(secrets);
  using std::chrono::microseconds;
  catalogue.apply({stored("kept", microseconds(1), 5), stored("lost", microseconds(2), 6)});
  catalogue.reached(6);
  catalogue.apply({stored("kept", microseconds(1), 3)});
  catalogue.apply({stored("new", microseconds(3), 4)});
  EXPECT_EQ(catalogue.epoch(), 6U) << "until all portions are applied";
  catalogue.keep_only({Guid::from_name(namespace_url, "kept"), Guid::from_name(namespace_url, "new")});
  catalogue.reached(4);
  EXPECT_EQ(catalogue.find(Guid::from_name(namespace_url, "lost")), nullptr);
  EXPECT_NE(catalogue.find(Guid::from_name(namespace_url, "kept")), nullptr);
  EXPECT_NE(catalogue.find(Guid::from_name(namespace_url, "new")), nullptr);
  EXPECT_EQ(catalogue.epoch(), 4U);
}

TEST(Catalogue, KnowsWhichWorkflowsMayShowATrackingPage) {
  const SecretBox secrets{SecretBox::Key{}};
  Catalogue catalogue(secrets);
  const auto shows = [&](const char* name, const char* action, std::optional<std::string> templates = {}) {
    storage::StoredWorkflow workflow = stored(name, {}, 1);
    workflow.action = action;
    workflow.templates = std::move(templates);
    catalogue.apply({workflow});
    return catalogue.find(workflow.guid)->shows_tracking_page;
  };
  EXPECT_TRUE(shows("whole", R"({"type": "webhook", "recipient": "https://a.example/", "template": null})"));
  EXPECT_FALSE(shows("body", R"({"type": "webhook", "recipient": "https://a.example/", "template": "x"})"));
  EXPECT_TRUE(shows(
      "link", R"({"type": "webhook", "recipient": "https://a.example/", "template": "{{trackingUrl}}"})"));
  EXPECT_FALSE(shows("moved", R"({"type": "update_status", "recipient": "", "status": "ready"})"));
  constexpr const char* mail = R"({"type": "send_email", "recipient": "a@example.com", "template": "t"})";
  EXPECT_TRUE(shows("stored", mail, R"({"t": {"subject": "s", "body": "{{trackingUrl}}"}})"));
  EXPECT_TRUE(shows("built-in", mail, R"({"shipment_in_transit": null})"));
  EXPECT_FALSE(shows("other", mail, R"({"customer_created": null})"));
}

}  // namespace
}  // namespace waybill::worker
