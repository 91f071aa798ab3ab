// One-time links to the console, and the sessions that they open.
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "storage/sql/duties.sql.hpp"
#include "tests/api/fixtures/account_fixture.hpp"
#include "tests/api/fixtures/browser.hpp"
#include "tests/harness/eventually.hpp"
#include "tests/harness/process.hpp"

namespace waybill::tests {
namespace {

class ConsoleLinks : public AccountTest {
 protected:
  Finished command(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), waybill_binary());
    arguments.insert(arguments.end(), {"--database-url", world.database.url()});
    return run(std::move(arguments), {});
  }
  Finished console_link(const std::string& of, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments{"console-link", "--business", of, "--public-url",
                                       "http://127.0.0.1:8080"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return command(std::move(arguments));
  }
  /// The secret of a new link to the business.
  std::string link(const std::vector<std::string>& more = {}) {
    const auto printed = console_link(business, more);
    EXPECT_EQ(printed.status, 0) << printed.standard_error;
    const auto& text = printed.standard_output;
    return text.substr(text.find("#link=") + 6, 46);
  }
  Browser browser() { return Browser(world.waybill.http()); }
  Browser opened(const std::vector<std::string>& more = {}) {
    auto page = browser();
    const auto login = page.open_link(link(more));
    EXPECT_EQ(login.status, 200) << login.text;
    return page;
  }
  std::string user_of_system() {
    return world.database.value("select operator_name from console_sessions limit 1");
  }

  std::string business =
      std::string("Links ") + testing::UnitTest::GetInstance()->current_test_info()->name();
  Http token = world.waybill.business(business);
};

TEST_F(ConsoleLinks, TheCommandPrintsTheUrlAloneAndStoresOnlyAHash) {
  const auto printed = console_link(business);
  ASSERT_EQ(printed.status, 0) << printed.standard_error;
  const std::string start = "http://127.0.0.1:8080/console/#link=wb_";
  EXPECT_TRUE(printed.standard_output.starts_with(start)) << printed.standard_output;
  EXPECT_EQ(printed.standard_output.size(), start.size() + 43 + 1);
  EXPECT_EQ(printed.standard_output.back(), '\n');
  EXPECT_EQ(world.database.content().find(printed.standard_output.substr(start.size(), 43)),
            std::string::npos);
}

TEST_F(ConsoleLinks, TheCommandFindsOnlyBusinessesThatTheOperatorNamed) {
  world.database.exec("insert into businesses (name, registered_by_itself) values ('Chose itself', true)");
  const auto refused = console_link("Chose itself");
  EXPECT_EQ(refused.status, 1);
  EXPECT_NE(refused.standard_error.find("guid"), std::string::npos) << refused.standard_error;
  const auto unknown = console_link("Nobody at all");
  EXPECT_EQ(unknown.status, 1);
  EXPECT_EQ(world.database.number("select count(*) from businesses where name = 'Nobody at all'"), 0);
  EXPECT_EQ(
      console_link(world.database.value("select guid from businesses where name = 'Chose itself'")).status,
      0);
  EXPECT_EQ(command({"console-link", "--business", business, "--role", "king"}).status, 2);
}

TEST_F(ConsoleLinks, TheCommandRefusesAUrlThatAllowsNoCookie) {
  const auto refused =
      command({"console-link", "--business", business, "--public-url", "http://way.example"});
  EXPECT_EQ(refused.status, 1);
  EXPECT_NE(refused.standard_error.find("--public-url"), std::string::npos) << refused.standard_error;
  EXPECT_EQ(refused.standard_output, "");
  const auto secure =
      command({"console-link", "--business", business, "--public-url", "https://way.example/"});
  EXPECT_TRUE(secure.standard_output.starts_with("https://way.example/console/#link=wb_"));
}

TEST_F(ConsoleLinks, TheSessionIsNobodysAndHasTheRoleOfTheLink) {
  auto page = browser();
  const auto login = page.open_link(link());
  ASSERT_EQ(login.status, 200) << login.text;
  EXPECT_TRUE(at(login.data(), "token").is_null());
  const auto shown = page.get(me_path);
  EXPECT_EQ(shown.data(), at(login.data(), "user"));
  EXPECT_EQ(shown.data(), json::value({{"guid", nullptr},
                                       {"email", nullptr},
                                       {"firstName", nullptr},
                                       {"lastName", nullptr},
                                       {"role", "admin"},
                                       {"name", "console link"}}));
  EXPECT_EQ(page.post("/api/v1/Customers", {{"name", "Ada"}}).status, 201);
  expect_refused(
      page.post("/api/user/change-password",
                {{"currentPassword", "x"}, {"password", good_password}, {"confirmPassword", good_password}}),
      403, "FORBIDDEN");
  EXPECT_EQ(page.post("/api/business", {{"name", "Second"}, {"email", "a@example.com"}}).status, 409);

  auto viewer = opened({"--role", "viewer"});
  EXPECT_EQ(text_at(viewer.get(me_path).data(), "role"), "viewer");
  EXPECT_EQ(viewer.get(orders_path).status, 200);
  EXPECT_EQ(viewer.post("/api/v1/Customers", {{"name", "Ada"}}).status, 403);
}

TEST_F(ConsoleLinks, APageOfOneBusinessChangesNothingInThatOfALinkOpenedLater) {
  auto page = opened();
  const Headers before{{"X-Waybill-Session", page.get(me_path).header("X-Waybill-Session")}};
  EXPECT_EQ(opened({"--role", "viewer"}).get(me_path, before).status, 200) << "another link to the business";
  business += " elsewhere";
  const auto other = world.waybill.business(business);
  ASSERT_EQ(page.open_link(link()).status, 200);
  expect_refused(page.post("/api/v1/Customers", {{"name", "Ada"}}, before), 401, "UNAUTHORIZED");
  expect_refused(page.get(orders_path, before), 401, "UNAUTHORIZED");
  EXPECT_EQ(page.post("/api/v1/Customers", {{"name", "Ada"}}).status, 201);
}

TEST_F(ConsoleLinks, TheAuditLogNamesTheOperatorWhoMadeAndUsedTheLink) {
  auto page = opened();
  ASSERT_EQ(page.post("/api/business/tokens", {{"name", "till"}}).status, 201);
  const auto log = page.get("/api/business/audit?PageSize=3");
  const auto name = user_of_system();
  for (const std::string index : {"0", "1", "2"}) {
    EXPECT_EQ(text_at(log.data(), index + ".actor.type"), "operator") << log.text;
    EXPECT_TRUE(at(log.data(), index + ".actor.guid").is_null());
    EXPECT_EQ(text_at(log.data(), index + ".actor.name"), name);
  }
  EXPECT_EQ(text_at(log.data(), "0.entityType"), "token");
  EXPECT_EQ(text_at(log.data(), "1.entityType"), "console_link");
  EXPECT_EQ(text_at(log.data(), "1.action"), "updated");
  EXPECT_EQ(text_at(log.data(), "1.address"), "127.0.0.1") << "of the use";
  EXPECT_TRUE(at(log.data(), "1.changes").as_object().contains("usedAt"));
  EXPECT_EQ(text_at(log.data(), "2.entityType"), "console_link");
  EXPECT_EQ(text_at(log.data(), "2.action"), "created");
  EXPECT_EQ(text_at(log.data(), "2.changes.role.to"), "admin");
}

TEST_F(ConsoleLinks, ALinkWorksOnceOnAnyNode) {
  const Waybill second(world.database.url(), {.command = "api",
                                              .arguments = {"--public-url", "https://way.example"},
                                              .secret_key_file = world.waybill.secret_key_file()});
  const auto secret = link();
  std::atomic<int> opened = 0;
  std::atomic<int> refused = 0;
  std::vector<std::thread> threads;
  for (int index = 0; index < 6; ++index) {
    threads.emplace_back([&, index] {
      Browser page((index % 2 == 0 ? world.waybill : second).http());
      const auto status = page.open_link(secret).status;
      opened += status == 200 ? 1 : 0;
      refused += status == 400 ? 1 : 0;
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(opened, 1);
  EXPECT_EQ(refused, 5);
}

TEST_F(ConsoleLinks, AWrongUsedOrOldLinkIs400AndAFailedLogin) {
  auto page = browser();
  const auto failures = [&] {
    return world.database.number(
        "select coalesce(sum(cardinality(times)), 0) from login_failures where key = "
        "sha256('address:127.0.0.1')");
  };
  const auto used = link();
  ASSERT_EQ(browser().open_link(used).status, 200);
  EXPECT_EQ(failures(), 0) << "a successful login does not count";
  const auto old = link();
  world.database.exec("update console_sessions set expires_at = clock_timestamp() where started_at is null");
  auto holder = opened();
  int expected = 0;
  for (const std::string& secret : {std::string("wb_wrong"), used, old, holder.token(), std::string()}) {
    const auto answer = page.open_link(secret);
    expect_invalid(answer, {"link"});
    EXPECT_EQ(answer.header("Set-Cookie"), "");
    EXPECT_EQ(failures(), ++expected);
  }
  EXPECT_EQ(world.database.number("select count(*) from login_failures"), 1) << "no count for an address";
  while (failures() < 10) page.open_link("wb_wrong");
  expect_refused(page.open_link(link()), 429, "RATE_LIMITED");
}

TEST_F(ConsoleLinks, TheSecretOfALinkIsNoToken) {
  const auto secret = link();
  auto page = browser();
  const auto cookie = "waybill_" + std::to_string(world.waybill.port()) + "=" + secret;
  EXPECT_EQ(page.get(me_path, {{"Cookie", cookie}}).status, 401);
  EXPECT_EQ(world.waybill.http(secret).get(me_path).status, 401);
  auto held = opened();
  EXPECT_EQ(world.waybill.http(held.token()).get(me_path).status, 401);
}

TEST_F(ConsoleLinks, ASessionEndsByLogoutAndAfter24Hours) {
  auto page = opened();
  const auto cookie = page.cookie();
  EXPECT_EQ(page.post("/api/user/logout").status, 200);
  EXPECT_EQ(page.get(me_path, {{"Cookie", cookie}}).status, 401);
  auto second = opened();
  EXPECT_EQ(second.get(me_path).status, 200);
  EXPECT_EQ(world.database.number("select count(*) from console_sessions where started_at is not null and "
                                  "expires_at between started_at + interval '24 hours' - interval '1 second' "
                                  "and started_at + interval '24 hours' + interval '1 second'"),
            world.database.number("select count(*) from console_sessions where started_at is not null"));
  world.database.exec(
      "update console_sessions set expires_at = now() - interval '1 second' where started_at is not null");
  EXPECT_TRUE(eventually([&] { return second.get(me_path).status == 401; }));
}

TEST_F(ConsoleLinks, ASuspensionRefusesSessionsAndLinksAndADeletionEndsThem) {
  auto page = opened();
  const auto unused = link();
  ASSERT_EQ(command({"business", "suspend", "--business", business}).status, 0);
  EXPECT_TRUE(eventually([&] { return page.get(orders_path).status == 403; }));
  expect_refused(browser().open_link(unused), 403, "FORBIDDEN");
  ASSERT_EQ(command({"business", "resume", "--business", business}).status, 0);
  EXPECT_TRUE(eventually([&] { return page.get(orders_path).status == 200; }));
  EXPECT_EQ(browser().open_link(unused).status, 200) << "the refused use has not used it up";

  const auto guid = world.database.value("select guid from businesses where name = '" + business + "'");
  const auto kept = link();
  const auto deleted = command({"business", "delete", "--business", business, "--yes"});
  ASSERT_EQ(deleted.status, 0) << deleted.standard_error;
  EXPECT_TRUE(eventually([&] { return page.get(orders_path).status == 401; }));
  EXPECT_EQ(browser().open_link(kept).status, 400);
  EXPECT_EQ(world.database.number("select count(*) from console_sessions where business_id = '" + guid + "'"),
            0);
}

TEST_F(ConsoleLinks, TheFreePlanAllowsThemWith600Requests) {
  business += " free";
  world.waybill.token(business, "free");
  auto page = opened();
  const auto answer = page.get(orders_path);
  EXPECT_EQ(answer.status, 200) << answer.text;
  EXPECT_EQ(answer.header("X-RateLimit-Limit"), "600");
}

TEST_F(ConsoleLinks, ExpiredOnesAreDeleted) {
  link();
  world.database.exec("update console_sessions set expires_at = now() - interval '1 second'");
  world.database.rows(std::string(storage::sql::duties::ExpireAccounts::statement.text), {"1000"});
  EXPECT_EQ(world.database.number("select count(*) from console_sessions where expires_at < now()"), 0);
}

}  // namespace
}  // namespace waybill::tests
