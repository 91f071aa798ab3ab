// The pages of the console in Chromium, at a real service.
#include <chrono>
#include <csignal>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/api/fixtures/prepared_business.hpp"
#include "tests/harness/packages.hpp"
#include "tests/harness/postgres.hpp"
#include "tests/harness/process.hpp"
#include "tests/harness/server.hpp"

namespace waybill::tests {
namespace {

constexpr std::string_view hostile =
    "<img src=x onerror=alert(1)>\"'</script><script>alert(2)</script>\u202e";

class ConsolePages : public testing::Test {
 protected:
  /// A one-time link with this role in a business.
  std::string link(const std::string& role = "owner", const std::string& business = "acme") {
    const auto printed = run({waybill_binary(), "console-link", "--business", business, "--role", role,
                              "--public-url", origin(), "--database-url", database.url()},
                             {});
    EXPECT_EQ(printed.status, 0) << printed.standard_error;
    return printed.standard_output.substr(0, printed.standard_output.find('\n'));
  }

  std::string origin() const { return "http://127.0.0.1:" + std::to_string(waybill.port()); }

  TempDirectory mails;
  TestDatabase database;
  Waybill waybill{database.url(), {.arguments = {"--mail-dir", mails.path()}}};
  Tenant tenant{waybill, "acme"};
  PreparedBusiness prepared{tenant};
};

TEST_F(ConsolePages, HaveNoFindings) {
  const std::string long_name = std::string(hostile) + std::string(110, 'x');
  const auto made =
      tenant.http.post("/api/v1/Customers", {{"name", long_name}, {"email", "mallory@example.com"}});
  ASSERT_EQ(made.status, 201) << made.text;
  tenant.put_order(prepared.guid("order"), {{"notes", hostile}});
  std::vector<std::string> command{"node", package_folder("browser") / "console.mjs", link()};
  for (const auto* const page : {"today",
                                 "orders",
                                 "shipments",
                                 "pack",
                                 "customers",
                                 "products",
                                 "workflows",
                                 "editor",
                                 "runs",
                                 "messages?address=ada@example.com",
                                 "events",
                                 "destinations",
                                 "jobs",
                                 "audit",
                                 "stores",
                                 "carriers",
                                 "carriers/purchases",
                                 "dispatch",
                                 "dispatch?open=new",
                                 "dispatch/drivers",
                                 "dispatch/drivers?open=new",
                                 "dispatch/vehicles",
                                 "dispatch/vehicles?open=new",
                                 "settings/calendar",
                                 "settings/branding",
                                 "settings/alerts",
                                 "settings/view",
                                 "settings/password",
                                 "carriers?open=new",
                                 "settings/business",
                                 "settings/defaults",
                                 "settings/users",
                                 "settings/tokens",
                                 "settings/templates",
                                 "settings/templates/new",
                                 "customers/upload",
                                 "events?open=*",
                                 "audit?open=*",
                                 "search?q=ada"})
    command.emplace_back(page);
  for (const auto& [page, kind] :
       std::vector<std::pair<std::string, std::string>>{{"jobs?open=", "job"},
                                                        {"stores?open=", "integration"},
                                                        {"settings/tokens?open=", "token"},
                                                        {"settings/templates/", "template"},
                                                        {"customers/upload/", "upload"},
                                                        {"messages?customerId=", "customer"}})
    command.push_back(page + prepared.guid(kind));
  for (const std::string kind : {"order", "shipment", "customer", "product", "workflow", "run"})
    command.push_back(kind + "s/" + prepared.guid(kind));
  command.push_back("orders/" + prepared.guid("order") + "/automation");
  command.push_back("editor/" + prepared.guid("workflow"));
  const auto checked = run(std::move(command), {}, std::chrono::minutes(4));
  EXPECT_EQ(checked.status, 0) << checked.standard_output << checked.standard_error;
}

/// The offers of the console to each role, and the refusals of the API, by the permissions of the OpenAPI
/// document.
TEST_F(ConsolePages, OfferEachRoleWhatTheDocumentAllowsAndNoMore) {
  std::vector<std::string> command{"node", package_folder("browser") / "journeys" / "roles.mjs"};
  for (const auto* const role : {"viewer", "operator", "admin", "owner"}) command.push_back(link(role));
  for (const std::string kind : {"order", "shipment", "customer", "workflow"})
    command.push_back(kind + "s/" + prepared.guid(kind));
  command.push_back("workflows/" + prepared.guid("webhook"));
  command.push_back("dispatch?open=" + prepared.guid("dispatch"));
  command.push_back("dispatch/drivers?open=" + prepared.guid("driver"));
  command.push_back("dispatch/vehicles?open=" + prepared.guid("vehicle"));
  command.push_back("carriers?open=" + prepared.guid("carrier"));
  command.push_back("customers/upload/" + prepared.guid("upload"));
  for (const auto* const page :
       {"orders", "customers/upload", "carriers?open=new", "dispatch?open=new", "dispatch/drivers?open=new",
        "dispatch/vehicles?open=new", "stores", "stores?connect=woocommerce", "settings/branding",
        "settings/business", "settings/calendar", "settings/defaults", "settings/alerts", "settings/users",
        "settings/tokens", "settings/templates/new"})
    command.emplace_back(page);
  const auto walked = run(std::move(command), {}, std::chrono::minutes(6));
  EXPECT_EQ(walked.status, 0) << walked.standard_output << walked.standard_error;
}

TEST_F(ConsolePages, KeepAFormWhileTheServiceIsAway) {
  Process walk({"node", package_folder("browser") / "journeys" / "outage.mjs", link("admin")});
  const auto output = [&] { return walk.standard_output() + walk.standard_error(); };
  ASSERT_TRUE(walk.wait_for_line("kill the service", std::chrono::minutes(1))) << output();
  waybill.process().kill(SIGKILL);
  ASSERT_TRUE(walk.wait_for_line("start the service", std::chrono::minutes(1))) << output();
  const Waybill again(database.url(), {.listen = "127.0.0.1:" + std::to_string(waybill.port()),
                                       .secret_key_file = waybill.secret_key_file()});
  EXPECT_EQ(walk.wait_exit(std::chrono::minutes(1)), 0) << output();
}

/// Uses the pages as people do, by the scripts of tests/packages/browser/journeys.
class ConsoleJourneys : public ConsolePages, public testing::WithParamInterface<const char*> {};

TEST_P(ConsoleJourneys, LeadWhereTheyShould) {
  const std::string name = GetParam();
  std::vector<std::string> command{"node", package_folder("browser") / "journeys" / (name + ".mjs")};
  if (name == "runs") {
    command.push_back(origin() + "/console/");
    command.push_back(tenant.http.token());
  }
  std::string business = "acme";
  if (name == "settings") {  // the first steps are those of a business that has none of them
    business = "beginner";
    Tenant beginner(waybill, business);
    beginner.create_order();
  }
  if (name == "kept") Tenant(waybill, "elsewhere");
  if (name == "stores") {
    tenant.sql.rows(
        "with asked as (update shipments set label_status = 'buying' where guid = $1) "
        "update purchases set status = 'requested', error_code = null, error_text = null where guid = $2",
        {prepared.guid("shipment"), prepared.guid("purchase")});
  }
  if (name == "people") {
    command.push_back(origin());
    command.push_back(mails.path());
  } else if (name == "kept") {
    command.push_back(link("admin"));
    command.push_back(link("admin", "elsewhere"));
  } else if (name == "customers") {
    command.push_back(link("operator"));
  } else if (name == "dispatch") {
    command.push_back(link("operator"));
    command.push_back(link("viewer"));
  } else {
    command.push_back(link("admin", business));
    command.push_back(link("viewer", business));
  }
  const auto walked = run(std::move(command), {}, std::chrono::minutes(4));
  EXPECT_EQ(walked.status, 0) << walked.standard_output << walked.standard_error;
}

INSTANTIATE_TEST_SUITE_P(All, ConsoleJourneys,
                         testing::Values("customers", "dispatch", "editor", "first_rows", "kept", "orders",
                                         "people", "runs", "settings", "stores"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace waybill::tests
