// `waybill business list | usage | export | suspend | resume | delete`.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <signal.h>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "base/clock.hpp"
#include "net/http/webhook_signature.hpp"
#include "storage/session/session.hpp"
#include "storage/sql/destinations.sql.hpp"
#include "storage/sql/duties.sql.hpp"
#include "storage/sql/integrations.sql.hpp"
#include "storage/sql/workflows.sql.hpp"
#include "tests/connectors/import_fixture.hpp"
#include "tests/harness/eventually.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

Finished business_command(const std::string& database_url, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {waybill_binary(), "business"});
  arguments.insert(arguments.end(), {"--database-url", database_url});
  return run(std::move(arguments));
}

std::string content_of(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// The tables with a row of the business; none is left out, because the catalog of the database names them.
std::vector<std::string> tables_with_rows_of(const std::string& business, Session& sql) {
  std::vector<std::string> found;
  for (const auto& table : sql.column(
           "select c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid "
           "where c.relkind in ('r', 'p') and not c.relispartition and a.attname = 'business_id' "
           "and not a.attisdropped "
           "and c.relnamespace = (select relnamespace from pg_class where oid = 'businesses'::regclass)")) {
    if (sql.number("select count(*) from " + table + " where business_id = $1", {business}) > 0)
      found.push_back(table);
  }
  return found;
}

class BusinessesTest : public WorkflowTest {
 protected:
  Finished command(std::vector<std::string> arguments) {
    return business_command(world.database.url(), std::move(arguments));
  }
  void suspend() { ASSERT_EQ(command({"suspend", "--business", tenant.name}).status, 0); }
  void resume() { ASSERT_EQ(command({"resume", "--business", tenant.name}).status, 0); }
  /// Waits until the API and the worker, which are one process, know the suspension.
  void wait_until_refused() {
    ASSERT_TRUE(eventually([&] { return tenant.http.get("/api/v1/Orders").status == 403; }));
  }
  std::vector<Received> received_so_far(std::string_view hook = "hook") {
    return receiver.received(tenant.path(hook));
  }
  std::int64_t set_aside() {
    return tenant.sql.number("select count(*) from suspended_events where business_id = $1", {tenant.id});
  }
  std::int64_t runs_with_status(std::string_view status) {
    return tenant.sql.number("select count(*) from all_runs where business_id = $1 and status = $2",
                             {tenant.id, std::string(status)});
  }
};

TEST_F(BusinessesTest, TokensAndLoginsOfASuspendedBusinessAreRefusedWithinASecond) {
  suspend();
  ASSERT_TRUE(eventually([&] { return tenant.http.get("/api/v1/Orders").status == 403; }, 1s));
  const Response refused = tenant.http.get("/api/v1/Orders");
  EXPECT_EQ(refused.error_code(), "FORBIDDEN");
  EXPECT_EQ(text_at(refused.body, "error.message"), "The business is suspended; ask the operator.");
  EXPECT_EQ(tenant.http.post("/api/v1/Orders").status, 403);
  EXPECT_EQ(world.waybill.http("wb_unknown").get("/api/v1/Orders").status, 401);

  const std::string email = tenant.id + "@example.com";
  const json::object registration{{"email", email},
                                  {"password", "correct horse"},
                                  {"confirmPassword", "correct horse"},
                                  {"acceptedTerms", true}};
  Http anonymous = world.waybill.http();
  ASSERT_EQ(anonymous.post("/api/user/register", registration).status, 201);
  tenant.sql.rows("update users set verified_at = now(), business_id = $1, role = 'owner' where email = $2",
                  {tenant.id, email});
  const json::object login{{"email", email}, {"password", "correct horse"}};
  EXPECT_EQ(anonymous.post("/api/user/login", login).status, 403);
  EXPECT_EQ(anonymous.post("/api/user/login", {{"email", email}, {"password", "wrong horse"}}).status, 401);
  resume();
  EXPECT_TRUE(eventually([&] { return tenant.http.get("/api/v1/Orders").status == 200; }, 1s));
  EXPECT_EQ(anonymous.post("/api/user/login", login).status, 200);
}

TEST_F(BusinessesTest, EventsDuringASuspensionAreMatchedInOrderAfterResume) {
  constexpr int changes = 30;
  constexpr int orders = 110;  // more than the worker matches in one turn
  tenant.webhook(url("created"), "order_created");
  tenant.webhook(url(), "order_updated", {{"ordered", true}});
  suspend();
  wait_until_refused();
  const std::string order = tenant.insert_order();
  for (int i = 1; i <= changes; ++i) {
    tenant.sql.rows("update orders set notes = $1 where business_id = $2", {std::to_string(i), tenant.id});
  }
  tenant.sql.rows(
      "insert into orders (business_id, order_number) select $1, 'S' || n from generate_series(1, $2::int) n",
      {tenant.id, std::to_string(orders)});
  ASSERT_TRUE(eventually([&] { return set_aside() == 1 + changes + orders; }));
  EXPECT_EQ(tenant.sql.number("select count(*) from pending_events where business_id = $1", {tenant.id}), 0);
  EXPECT_EQ(received_so_far().size() + received_so_far("created").size(), 0U);
  resume();
  tenant.sql.rows("update orders set notes = 'last' where guid = $1", {order});
  EXPECT_EQ(wait_for(1 + orders, "created").size(), 1U + orders);
  const auto received = wait_for(changes + 1);
  ASSERT_EQ(received.size(), changes + 1U);
  for (std::size_t i = 0; i < changes; ++i) {
    EXPECT_EQ(text_at(received[i].json_body(), "data.entity.notes"), std::to_string(i + 1));
  }
  EXPECT_EQ(text_at(received.back().json_body(), "data.entity.notes"), "last");
  EXPECT_EQ(set_aside(), 0);
}

TEST_F(BusinessesTest, RunsOfASuspendedBusinessAreHeldAndGoOnAfterResume) {
  receiver.answer(tenant.path(), Reply::with_status(500));
  tenant.webhook(url(), "order_created");
  tenant.insert_order();
  wait_for(1);
  suspend();
  ASSERT_TRUE(eventually([&] { return runs_with_status("held") == 1; }));
  const auto count = received_so_far().size();
  receiver.answer(tenant.path(), Reply{});
  EXPECT_TRUE(throughout([&] { return received_so_far().size() == count; }, 2s));
  resume();
  EXPECT_TRUE(eventually([&] { return runs_with_status("succeeded") == 1; }));
}

TEST_F(BusinessesTest, ARunOfAPausedWorkflowStaysHeldAfterResume) {
  const std::string workflow = tenant.webhook(url(), "order_created");
  tenant.sql.rows("update workflows set paused_reason = 'test', paused_at = now() where guid = $1",
                  {workflow});
  tenant.insert_order();
  ASSERT_TRUE(eventually([&] { return runs_with_status("held") == 1; }));
  suspend();
  resume();
  EXPECT_TRUE(throughout([&] { return runs_with_status("held") == 1; }, 1s));
}

TEST_F(BusinessesTest, OthersOfTheSameShardAreNotDelayed) {
  tenant.sql.rows(
      "insert into businesses (guid, name, plan) select guid, $1, 'unlimited' "
      "from (select gen_random_uuid() as guid from generate_series(1, 1000)) g "
      "where shard_of(guid) = shard_of($2::uuid) limit 1",
      {tenant.name + ", another", tenant.id});
  Tenant other(world.waybill, tenant.name + ", another");
  tenant.webhook(url("suspended"), "order_created");
  other.webhook(url("other"), "order_created");
  suspend();
  wait_until_refused();
  tenant.sql.rows(
      "insert into orders (business_id, order_number) select $1, 'S' || n from generate_series(1, 3000) n",
      {tenant.id});
  other.insert_order();
  EXPECT_EQ(wait_for(1, "other").size(), 1U);
  ASSERT_TRUE(eventually([&] { return set_aside() == 3000; }));
  EXPECT_EQ(received_so_far("suspended").size(), 0U);
}

TEST_F(BusinessesTest, ASuspensionSurvivesTheWorker) {
  TestDatabase database;
  Receiver hooks;
  auto waybill = std::make_unique<Waybill>(database.url());
  Tenant one(*waybill, "one");
  one.webhook(hooks.url("/hook"), "order_created");
  ASSERT_EQ(business_command(database.url(), {"suspend", "--business", "one"}).status, 0);
  waybill->process().kill_tree();
  one.insert_order();
  const std::string key = waybill->secret_key_file();
  Waybill next(database.url(), {.secret_key_file = key});
  ASSERT_TRUE(eventually([&] { return one.sql.number("select count(*) from suspended_events") == 1; }));
  EXPECT_EQ(hooks.received("/hook").size(), 0U);
  ASSERT_EQ(business_command(database.url(), {"resume", "--business", "one"}).status, 0);
  EXPECT_EQ(hooks.wait_for("/hook", 1).size(), 1U);
}

TEST_F(BusinessesTest, ACarriersScansAreRefusedAndTheTrackingPageIsGone) {
  const std::string carrier =
      tenant.sql.value("select guid from carriers where code = 'ups' and deleted_at is null");
  const Response configured =
      tenant.http.post("/api/carriers/configure", {{"carrierId", carrier}, {"accountNumber", "A-1"}});
  ASSERT_EQ(configured.status, 200) << configured.text;
  const std::string shipment = tenant.insert_shipment("");
  const std::string page =
      "/track/" +
      tenant.sql.value("select replace(token::text, '-', '') from tracking_tokens where shipment_id = $1",
                       {shipment});
  Http anonymous = world.waybill.http();
  EXPECT_EQ(anonymous.get(page).status, 200);
  suspend();
  wait_until_refused();
  EXPECT_EQ(anonymous.get(page).status, 404);
  EXPECT_EQ(anonymous.get(page + ".json").status, 404);
  const std::string body = R"([{"trackingNumber": "X", "status": "collected", "description": "seen"}])";
  const auto sent = to_unix_seconds(system_clock().now());
  const auto key = net::WebhookSecret::parse(text_at(configured.data(), "inboundSecret")).value();
  const Response scan = anonymous.request_text(
      "POST", "/api/carriers/" + carrier + "/inbound?business=" + tenant.id, body,
      {{"Content-Type", "application/json"},
       {"webhook-id", "d-1"},
       {"webhook-timestamp", std::to_string(sent)},
       {"webhook-signature", net::webhook_signature(std::span(&key, 1), "d-1", sent, body)}});
  EXPECT_EQ(scan.status, 403) << scan.text;
  EXPECT_EQ(scan.error_code(), "FORBIDDEN");
  resume();
  EXPECT_TRUE(eventually([&] { return anonymous.get(page).status == 200; }));
}

TEST_F(BusinessesTest, MailsOfASuspendedBusinessStayInTheOutbox) {
  ASSERT_EQ(command({"suspend", "--business", tenant.name}).status, 0);
  tenant.sql.rows(
      "insert into mail_outbox (guid, sealed, expires_at, business_id) "
      "values (gen_random_uuid(), '\\x00', now() + interval '1 day', $1), "
      "(gen_random_uuid(), '\\x00', now() + interval '1 day', null)",
      {tenant.id});
  // The sender drops the mail without a business, which it cannot open. This shows that it has read the
  // outbox.
  ASSERT_TRUE(eventually(
      [&] { return tenant.sql.number("select count(*) from mail_outbox where business_id is null") == 0; }));
  EXPECT_EQ(tenant.sql.number("select attempts from mail_outbox where business_id = $1", {tenant.id}), 0);
  resume();
  EXPECT_TRUE(eventually([&] {
    return tenant.sql.number("select count(*) from mail_outbox where business_id = $1", {tenant.id}) == 0;
  }));
}

TEST_F(ImportTest, NothingIsImportedWhileTheBusinessIsSuspended) {
  const Connection connection = connect(store);
  ASSERT_EQ(business_command(world.database.url(), {"suspend", "--business", tenant.name}).status, 0);
  const auto is_due = [&] {
    return tenant.sql.value("select due_at <= now() from integrations where business_id = $1", {tenant.id}) ==
           "t";
  };
  tenant.sql.rows("update integrations set due_at = now() where business_id = $1", {tenant.id});
  EXPECT_TRUE(throughout(is_due, 2s));
  ASSERT_EQ(business_command(world.database.url(), {"resume", "--business", tenant.name}).status, 0);
  EXPECT_TRUE(eventually([&] { return !is_due(); }));
}

TEST_F(BusinessesTest, ListAndUsageAreTablesOrJson) {
  tenant.webhook(url(), "order_created");
  tenant.insert_order();
  wait_for(1);
  tenant.settle();
  const Finished list = command({"list", "--json"});
  ASSERT_EQ(list.status, 0) << list.standard_error;
  bool found = false;
  const json::value listed = json::parse(list.standard_output);
  for (const auto& entry : listed.as_array()) {
    if (text_at(entry, "guid") != tenant.id) continue;
    found = true;
    EXPECT_EQ(text_at(entry, "name"), tenant.name);
    EXPECT_EQ(text_at(entry, "status"), "active");
    EXPECT_EQ(text_at(entry, "plan"), "unlimited");
  }
  EXPECT_TRUE(found);
  EXPECT_NE(command({"list"}).standard_output.find(tenant.id + "  active"), std::string::npos);

  const Finished usage = command({"usage", "--business", tenant.name, "--json"});
  ASSERT_EQ(usage.status, 0) << usage.standard_error;
  const json::value used = json::parse(usage.standard_output);
  EXPECT_EQ(at(used, "records.orders").to_number<int>(), 1);
  EXPECT_EQ(at(used, "records.shipments").to_number<int>(), 0);
  EXPECT_EQ(at(used, "events").to_number<int>(), 1);
  EXPECT_EQ(at(used, "runs"), json::value({{"finished", 1}, {"open", 0}, {"held", 0}}));
  EXPECT_EQ(at(used, "tokens").to_number<int>(), 1);
  EXPECT_TRUE(at(used, "requestsThisMinute").is_int64());
  EXPECT_EQ(at(used, "requestsPerMinute").to_number<std::int64_t>(), 1'000'000'000);
  EXPECT_EQ(at(used, "mailsToday").to_number<int>(), 0);
  EXPECT_GT(at(used, "storage.bytes").to_number<std::int64_t>(), 0);
  EXPECT_NE(command({"usage", "--business", tenant.name}).standard_output.find("records.orders"),
            std::string::npos);
  EXPECT_EQ(command({"usage", "--business", "nobody"}).status, 1);
}

TEST_F(BusinessesTest, AnExportHasEveryTableOfTheBusinessWithoutSecrets) {
  Tenant other(world.waybill, tenant.name + ", another");
  other.insert_order();
  const json::object workflow = tenant.configure(
      {{"name", "ship"},
       {"entityType", "Order"},
       {"triggerId", trigger_guid("order_created")},
       {"action",
        {{"type", "webhook"}, {"recipient", url()}, {"headers", {{"Authorization", "header-secret-1"}}}}}});
  tenant.http.post("/api/business/tokens", {{"name", "kept"}}, {{"Idempotency-Key", "k"}});
  const std::string order = tenant.insert_order();
  wait_for(1);
  tenant.settle();
  const TempDirectory directory;
  const fs::path output = directory / "export";
  const Finished exported = command({"export", "--business", tenant.id, "--output", output});
  ASSERT_EQ(exported.status, 0) << exported.standard_error;
  EXPECT_FALSE(fs::exists(directory / "export.partial"));
  EXPECT_NE(content_of(output / "orders.jsonl").find(order), std::string::npos);
  EXPECT_NE(content_of(output / "events.jsonl").find(order), std::string::npos);
  EXPECT_NE(content_of(output / "runs.jsonl").find(order), std::string::npos);
  EXPECT_NE(content_of(output / "businesses.jsonl").find(tenant.name), std::string::npos);
  const json::value manifest = json::parse(content_of(output / "manifest.json"));
  EXPECT_EQ(at(manifest, "rows.orders").to_number<int>(), 1);
  std::string all;
  for (const auto& file : fs::directory_iterator(output)) {
    EXPECT_EQ(fs::status(output).permissions() & fs::perms::others_all, fs::perms::none);
    std::istringstream lines(content_of(file.path()));
    for (std::string line; std::getline(lines, line);)
      EXPECT_NO_THROW((void)json::parse(line)) << file.path();
    all += content_of(file.path());
  }
  EXPECT_EQ(all.find(other.id), std::string::npos);
  for (const std::string& secret :
       {std::string("header-secret-1"), std::string("wb_"), text_at(json::value(workflow), "action.secret"),
        tenant.sql.value("select encode(token_hash, 'hex') from api_tokens where business_id = $1",
                         {tenant.id}),
        tenant.sql.value("select encode(sealed, 'hex') from workflow_secrets where business_id = $1",
                         {tenant.id})}) {
    EXPECT_EQ(all.find(secret), std::string::npos) << secret;
  }
  EXPECT_NE(command({"export", "--business", tenant.id, "--output", output}).status, 0)
      << "the directory exists";
  const std::string with_slash = (directory / "again").string() + "/";
  EXPECT_EQ(command({"export", "--business", tenant.id, "--output", with_slash}).status, 0);
  EXPECT_TRUE(fs::exists(directory / "again" / "manifest.json"));
  const Finished nowhere = command({"export", "--business", tenant.id, "--output", ""});
  EXPECT_EQ(nowhere.status, 1);
  EXPECT_NE(nowhere.standard_error.find("--output must not be empty"), std::string::npos);
}

TEST_F(BusinessesTest, TheExportOfACustomerIsTheDocumentOfTheApi) {
  const std::string order = tenant.create_order();
  tenant.settle();
  const std::string customer = text_at(tenant.http.get("/api/v1/Orders/" + order).data(), "customer.guid");
  const TempDirectory directory;
  const fs::path output = directory / "customer.json";
  const auto exported = [&](const std::string& guid) {
    return command({"export", "--business", tenant.id, "--customer", guid, "--output", output});
  };
  EXPECT_NE(exported("Ada").status, 0) << "no guid";
  const Finished unknown = exported(order);
  EXPECT_NE(unknown.status, 0);
  EXPECT_NE(unknown.standard_error.find("no customer"), std::string::npos) << unknown.standard_error;
  EXPECT_TRUE(fs::is_empty(fs::path(directory / "customer.json").parent_path()));

  const Finished written = exported(customer);
  ASSERT_EQ(written.status, 0) << written.standard_error;
  EXPECT_FALSE(fs::exists(directory / "customer.json.partial"));
  EXPECT_EQ(fs::status(output).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  json::object document = json::parse(content_of(output)).as_object();
  json::object answered = tenant.http.get("/api/v1/Customers/" + customer + "/export").data().as_object();
  EXPECT_EQ(document.at("orders").as_array().size(), 1U);
  for (json::object* const each : {&document, &answered}) each->erase("exportedAt");
  EXPECT_EQ(document, answered);
  EXPECT_NE(exported(customer).status, 0) << "the file exists";
}

TEST_F(BusinessesTest, NothingOfADeletedBusinessIsLeft) {
  TestDatabase database;
  Receiver hooks;
  Waybill waybill(database.url());
  Tenant gone(waybill, "Gone-4711");
  Tenant stays(waybill, "Stays-4712");
  for (Tenant* const each : {&gone, &stays}) {
    each->webhook(hooks.url("/" + each->name), "order_created");
    each->create_order({{"notes", "note of " + each->name}});
    each->insert_shipment(each->insert_order());
    hooks.wait_for("/" + each->name, 2);
    each->settle();
  }
  gone.http.post("/api/business/users", {{"email", "gone-4711@example.com"}, {"role", "viewer"}});
  gone.insert_order();

  const Finished refused = business_command(database.url(), {"delete", "--business", "Gone-4711"});
  EXPECT_EQ(refused.status, 1);
  EXPECT_NE(refused.standard_error.find("--yes"), std::string::npos);
  EXPECT_EQ(gone.http.get("/api/v1/Orders").status, 200);

  const Finished deleted = business_command(database.url(), {"delete", "--business", "Gone-4711", "--yes"});
  ASSERT_EQ(deleted.status, 0) << deleted.standard_error;
  const std::string content = database.content();
  ASSERT_NE(content.find("Stays-4712"), std::string::npos);
  EXPECT_EQ(content.find(gone.id), std::string::npos) << content.substr(content.find(gone.id) - 200, 400);
  EXPECT_EQ(content.find("Gone-4711"), std::string::npos);
  EXPECT_EQ(content.find("gone-4711@example.com"), std::string::npos);
  EXPECT_EQ(gone.http.get("/api/v1/Orders").status, 401);

  // The other business is not affected.
  stays.create_order();
  EXPECT_EQ(hooks.wait_for("/Stays-4712", 3).size(), 3U);
  EXPECT_EQ(business_command(database.url(), {"delete", "--business", "Gone-4711", "--yes"}).status, 1);
  EXPECT_EQ(business_command(database.url(), {"delete", "--business", gone.id, "--yes"}).status, 0);
}

TEST_F(BusinessesTest, CountsThatAWorkerHoldsAreNotWrittenAfterTheDeletion) {
  TestDatabase database;
  Receiver hooks;
  Waybill waybill(database.url());
  Tenant gone(waybill, "gone"), stays(waybill, "stays");
  for (Tenant* const each : {&gone, &stays}) {
    each->webhook(hooks.url("/" + each->name), "order_created");
    each->insert_order();
    hooks.wait_for("/" + each->name, 1);
    each->settle();
  }
  const auto counted = [&](const Tenant& tenant) {
    return stays.sql.number(
        "select coalesce(sum(orders), 0)::bigint from matched_events where business_id = $1", {tenant.id});
  };
  ASSERT_EQ(counted(gone), 0) << "the worker stores its counts once a minute";
  ASSERT_EQ(business_command(database.url(), {"delete", "--business", gone.id, "--yes"}).status, 0);
  ASSERT_EQ(waybill.stop(), 0);
  EXPECT_EQ(counted(stays), 1) << "the worker stores its counts when it stops";
  EXPECT_THAT(tables_with_rows_of(gone.id, stays.sql), testing::IsEmpty());
}

/// Writes what processes write in the background from their memory, without a look at other rows.
void write_in_background(storage::Session& session, const Guid& business) {
  const std::vector<Guid> businesses{business}, others{Guid::random()};
  const std::vector<std::int64_t> ones{1};
  const std::vector<std::string> names{"shop.example.com:443"}, kinds{"webhook"}, numbers{"{1}"}, none{"{}"};
  const Time now = system_clock().now();
  session.run(storage::sql::workflows::AddFirings{.businesses = businesses,
                                                  .workflows = others,
                                                  .counts = ones,
                                                  .held = ones,
                                                  .event_businesses = businesses,
                                                  .orders = ones,
                                                  .shipments = ones,
                                                  .customers = ones,
                                                  .products = ones,
                                                  .scan_businesses = businesses,
                                                  .carriers = others,
                                                  .scans = ones});
  storage::ArrayLiteral probes, intervals;
  probes.add_null();
  intervals.add(format_sql_timestamp(now));
  session.run(storage::sql::destinations::Publish{.worker = Guid::random(),
                                                  .businesses = businesses,
                                                  .kinds = kinds,
                                                  .names = names,
                                                  .places = ones,
                                                  .next_probes = std::move(probes),
                                                  .counted_from = std::move(intervals),
                                                  .succeeded = numbers,
                                                  .failed = numbers,
                                                  .durations = numbers,
                                                  .workflows = none,
                                                  .most = 10});
  session.run(storage::sql::integrations::HoldOrder{.business = business,
                                                    .integration = Guid::random(),
                                                    .external_id = "1",
                                                    .worker = Guid::random(),
                                                    .duration = "1 minute"});
  session.run(storage::sql::duties::NoteUnbalanced{.business = business, .first_time = now, .end_time = now});
}

TEST_F(BusinessesTest, NothingIsWrittenInTheBackgroundForADeletedBusiness) {
  TestDatabase database;
  Session sql(database.url());
  storage::Session worker(database.url(), "worker");
  const auto add_business = [&](const std::string& name) {
    return *Guid::parse(sql.value("insert into businesses (name) values ($1) returning guid", {name}));
  };
  const auto tables_of = [&](const Guid& business) { return tables_with_rows_of(business.to_string(), sql); };
  const Guid stays = add_business("stays"), gone = add_business("gone");
  write_in_background(worker, stays);
  ASSERT_THAT(tables_of(stays),
              testing::IsSupersetOf({"destination_reports", "ledger_findings", "matched_events",
                                     "source_counts", "tracking_pushes", "workflow_firings"}));

  storage::Work writing(worker);
  write_in_background(worker, gone);
  Process deletion({waybill_binary(), "business", "delete", "--business", gone.to_string(), "--yes",
                    "--database-url", database.url()});
  EXPECT_TRUE(eventually([&] {
    return sql.number(
               "select count(*) from pg_stat_activity where datname = current_database() "
               "and wait_event_type = 'Lock' and query like '%delete from businesses%'") == 1;
  })) << "the deletion waits for rows that are not committed";
  writing.commit();
  EXPECT_EQ(deletion.wait_exit(), 0) << deletion.standard_error();
  EXPECT_THAT(tables_of(gone), testing::IsEmpty());

  write_in_background(worker, gone);
  EXPECT_THAT(tables_of(gone), testing::IsEmpty());
}

TEST_F(BusinessesTest, ADeletionThatWasKilledIsFinishedByTheNext) {
  TestDatabase database;
  database.exec(
      "insert into businesses (guid, name) values ('00000000-0000-4000-8000-000000000001', 'Gone-4711')");
  database.exec(
      "insert into orders (business_id, order_number) "
      "select '00000000-0000-4000-8000-000000000001', 'N' || n from generate_series(1, 20000) n");
  Process killed({waybill_binary(), "business", "delete", "--business", "Gone-4711", "--yes",
                  "--database-url", database.url()});
  ASSERT_TRUE(eventually([&] { return database.number("select count(*) from orders") < 20'000; }));
  killed.kill_tree();
  EXPECT_EQ(database.value("select deleting_at is not null from businesses"), "t");
  EXPECT_EQ(business_command(database.url(), {"resume", "--business", "Gone-4711"}).status, 1);
  const Finished finished = business_command(database.url(), {"delete", "--business", "Gone-4711", "--yes"});
  ASSERT_EQ(finished.status, 0) << finished.standard_error;
  const std::string content = database.content();
  EXPECT_EQ(content.find("Gone-4711"), std::string::npos);
  EXPECT_EQ(content.find("00000000-0000-4000-8000-000000000001"), std::string::npos);
}

}  // namespace
}  // namespace waybill::tests
