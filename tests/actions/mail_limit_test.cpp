// The daily limit of mail recipients for a business that registered itself.
#include <filesystem>

#include <gtest/gtest.h>

#include "tests/harness/eventually.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

void mail_for_each_order(Tenant& tenant) {
  tenant.configure(
      {{"name", "mail"},
       {"entityType", "Order"},
       {"triggerId", trigger_guid("order_created")},
       {"action",
        {{"type", "send_email"}, {"recipient", "{{customer.email}}"}, {"subject", "s"}, {"body", "b"}}}});
}

class MailLimits : public testing::Test {
 protected:
  MailLimits() { mail_for_each_order(tenant); }

  static Waybill::Options options(const std::string& mail_dir) {
    return {.arguments = {"--mails-per-day", "5", "--mail-dir", mail_dir}};
  }

  /// Marks the business as created by `POST /api/business`.
  void register_itself() {
    tenant.sql.exec("update businesses set registered_by_itself = true, plan = 'standard'");
  }

  void order_for(const std::string& email) {
    tenant.create_order({{"customer", {{"name", "Ada"}, {"email", email}}}});
  }

  std::size_t mails() const {
    const std::filesystem::directory_iterator files(directory.path());
    return static_cast<std::size_t>(std::distance(begin(files), end(files)));
  }

  std::size_t runs(const std::string& status) { return tenant.runs("status=" + status).size(); }

  TempDirectory directory;
  TestDatabase database;
  Waybill waybill{database.url(), options(directory.path())};
  Tenant tenant{waybill, "Shop"};
};

TEST_F(MailLimits, ApplyToASelfRegisteredBusinessAcrossWorkersUntilItsPlanChanges) {
  register_itself();
  const Waybill second(database.url(), {.command = "worker",
                                        .arguments = options(directory.path()).arguments,
                                        .secret_key_file = waybill.secret_key_file()});
  for (int i = 0; i < 12; ++i) order_for("stranger" + std::to_string(i) + "@example.com");
  ASSERT_TRUE(eventually([&] { return runs("succeeded") == 5 && runs("retrying") == 7; }));
  EXPECT_EQ(mails(), 5U);
  EXPECT_EQ(tenant.sql.number("select recipients from business_mails"), 5);
  const auto run = tenant.run(text_at(tenant.runs("status=retrying").at(0), "guid"));
  EXPECT_EQ(text_at(run, "code"), "RATE_LIMITED");
  EXPECT_GT(
      tenant.sql.number(
          "select extract(epoch from min(due_at) - date_trunc('day', min(created_at)))::integer / 86000 "
          "from run_queue"),
      0)
      << "not before the next day";

  tenant.sql.exec("update businesses set plan = 'pro'; update run_queue set due_at = now()");
  EXPECT_TRUE(eventually([&] { return runs("succeeded") == 12; }));
  EXPECT_EQ(mails(), 12U);
}

TEST_F(MailLimits, DoNotCountTheUsersOfTheBusiness) {
  register_itself();
  tenant.sql.exec(
      "insert into users (email, business_id, role, password_hash, verified_at) "
      "select 'Owner@example.com', guid, 'owner', 'x', now() from businesses");
  for (int i = 0; i < 7; ++i) order_for("owner@example.com");
  EXPECT_TRUE(eventually([&] { return runs("succeeded") == 7; }));
  EXPECT_EQ(tenant.sql.number("select recipients from business_mails"), 0);
}

TEST_F(MailLimits, DoNotApplyToABusinessThatTheOperatorCreated) {
  for (int i = 0; i < 7; ++i) order_for("stranger" + std::to_string(i) + "@example.com");
  EXPECT_TRUE(eventually([&] { return runs("succeeded") == 7; }));
  EXPECT_EQ(tenant.sql.number("select count(*) from business_mails"), 0);
}

TEST_F(MailLimits, ALockedCountOfOneBusinessDoesNotDelayTheMailsOfAnother) {
  Tenant quiet{waybill, "Quiet"};
  mail_for_each_order(quiet);
  register_itself();
  order_for("first@example.com");
  ASSERT_TRUE(eventually([&] { return runs("succeeded") == 1; }));
  Session holder = database.connect();
  holder.exec("begin; select from business_mails where business_id = '" + tenant.id + "' for update");
  for (int i = 0; i < 20; ++i) order_for("stranger" + std::to_string(i) + "@example.com");
  for (std::size_t i = 0; i < 3; ++i) {
    const auto since = std::chrono::steady_clock::now();
    quiet.create_order({{"customer", {{"name", "Ada"}, {"email", "ada@example.com"}}}});
    EXPECT_TRUE(eventually([&] { return quiet.runs("status=succeeded").size() == i + 1; })) << i;
    EXPECT_LT(std::chrono::steady_clock::now() - since, std::chrono::seconds(1)) << i;
  }
  EXPECT_EQ(runs("succeeded"), 1U);
  holder.exec("commit");
  EXPECT_TRUE(eventually([&] { return runs("succeeded") == 5; }));
}

TEST(MailLimitsOfAnUnreachableServer, DoNotCountMailsThatWereNotSent) {
  const TestDatabase database;
  const Waybill waybill(database.url(),
                        {.retry_schedule = "1h",
                         .arguments = {"--mails-per-day", "5", "--smtp-url", "smtp://127.0.0.1:1",
                                       "--mail-from", "a@example.com"}});
  Tenant tenant{waybill, "Shop"};
  mail_for_each_order(tenant);
  tenant.sql.exec("update businesses set registered_by_itself = true, plan = 'standard'");
  tenant.create_order({{"customer", {{"name", "Ada"}, {"email", "stranger@example.com"}}}});
  ASSERT_TRUE(eventually([&] { return tenant.runs("status=retrying").size() == 1; }));
  EXPECT_TRUE(eventually([&] { return tenant.sql.value("select recipients from business_mails") == "0"; }));
}

}  // namespace
}  // namespace waybill::tests
