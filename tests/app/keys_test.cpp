#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/crypto.hpp"
#include "base/secret_box.hpp"
#include "storage/settings/integration_secrets.hpp"
#include "tests/harness/eventually.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// A directory with key files, and a database.
class Keys : public testing::Test {
 protected:
  std::string key(std::string_view name) {
    const fs::path file = directory / name;
    if (!fs::exists(file)) std::ofstream(file) << hex(random_bytes(32)) << '\n';
    return file;
  }

  /// The options of a process with these keys, separated by commas.
  Waybill::Options with(std::string command, const std::string& keys) {
    Waybill::Options options;
    options.command = std::move(command);
    options.secret_key_file = keys;
    return options;
  }

  Finished rotate(const std::string& keys) {
    return run({waybill_binary(), "key", "rotate", "--wait", "1", "--database-url", database.url(),
                "--secret-key-file", keys});
  }

  /// Expects that a process does not start, and returns what it says.
  std::string refusal(const std::string& keys) {
    const Finished finished = run({waybill_binary(), "api", "--database-url", database.url(), "--listen",
                                   "127.0.0.1:0", "--metrics-listen", "off", "--secret-key-file", keys});
    EXPECT_NE(finished.status, 0);
    return finished.standard_error;
  }

  bool encrypts_with_first_key(int processes) {
    return eventually([&] {
      return database.number(
                 "select count(*) from processes where sealing_key = key_ids[1] "
                 "and process_lives(guid)") == processes;
    });
  }

  TempDirectory directory;
  TestDatabase database;
  std::string old_key = key("old");
  std::string new_key = key("new");
};

/// Seals a value into each table and column that has sealed values.
void seal_everything(TestDatabase& database, Tenant& tenant, const std::string& workflow,
                     const std::string& key_file) {
  const SecretBox box(SecretBox::read_key(key_file));
  const std::string integration = "00000000-0000-4000-8000-000000000001";
  const auto business = Guid::parse(tenant.id).value();
  const auto sealed = [&](const std::string& purpose) {
    return "'\\x" + hex(box.seal("secret", purpose)) + "'";
  };
  const auto of_store = [&](std::string_view column) {
    return sealed(storage::integration_purpose(business, Guid::parse(integration).value(), column));
  };
  const std::string id = "'" + tenant.id + "'";
  database.exec(
      "insert into integrations (business_id, guid, provider, store_url, api_key, api_secret, status) "
      "values (" +
      id + ", '" + integration + "', 'medusa', 'http://x', " + of_store("key") + ", " + of_store("secret") +
      ", 'disabled')");
  const std::string carrier = database.value("select guid from carriers order by guid limit 1");
  const auto of_carrier = [&](const std::string& column) {
    return sealed("carrier-" + column + ":" + tenant.id + ":" + carrier);
  };
  database.exec(
      "insert into carrier_configurations (business_id, carrier_id, account_number, test_mode, "
      "sealed_api_key, sealed_api_secret, sealed_inbound_secret) values (" +
      id + ", '" + carrier + "', '1', false, " + of_carrier("apiKey") + ", " + of_carrier("apiSecret") +
      ", " + of_carrier("inboundSecret") + ")");
  database.exec("insert into mail_outbox (guid, sealed, due_at, expires_at) values ('" + integration + "', " +
                sealed("mail:" + integration) + ", now() + interval '1 day', now() + interval '1 day')");
  database.exec("insert into jobs (business_id, guid, kind, operation, role, due_at) values (" + id + ", '" +
                integration + "', 'replay', 'replayRuns', 'operator', now() + interval '1 day')");
  database.exec("insert into job_contents (business_id, job_id, name, bytes) values (" + id + ", '" +
                integration + "', 'call/000', " + sealed("job:" + integration + ":call/000") + ")");
  database.exec("insert into vapid_keys (business_id, public_key, private_key_sealed) values (" + id +
                ", 'x', " + sealed("vapid-key:" + tenant.id) + ")");
  database.exec(
      "insert into business_defaults (business_id, alert_webhook_url, sealed_alert_secret) values (" + id +
      ", 'http://x', " + sealed("alert-secret:" + tenant.id) + ")");
  EXPECT_GE(database.number("select count(*) from workflow_secrets where workflow_id = '" + workflow + "'"),
            1);
}

TEST_F(Keys, RotateSealsEveryValueWithTheFirstKey) {
  Waybill up(database.url(), with("up", old_key));
  Tenant tenant(up, "acme");
  const std::string workflow = tenant.webhook("https://example.com/", "order_created",
                                              {{"action",
                                                {{"type", "webhook"},
                                                 {"recipient", "https://example.com/"},
                                                 {"headers", {{"authorization", "Bearer x"}}}}}});
  seal_everything(database, tenant, workflow, old_key);
  const json::object order{{"items", json::array{{{"description", "x"}, {"quantity", 1}, {"price", 1}}}},
                           {"customer", {{"name", "Ann"}}},
                           {"deliveryAddress", {{"street", "a"}, {"city", "b"}}}};
  ASSERT_EQ(tenant.http.post("/api/v1/Orders", order, {{"Idempotency-Key", "one"}}).status, 201);
  const auto cursor = text_at(tenant.http.get("/api/events?limit=1").body, "nextCursor");
  const auto backwards = text_at(tenant.http.get("/api/events?before=&limit=1").body, "nextCursor");
  EXPECT_EQ(up.stop(), 0);

  const std::int64_t audited = database.number("select count(*) from audit_log");
  const Finished rotated = rotate(new_key + "," + old_key);
  EXPECT_EQ(database.number("select count(*) from audit_log"), audited) << "the secrets are the same";
  EXPECT_EQ(rotated.status, 0) << rotated.standard_output << rotated.standard_error;
  EXPECT_EQ(
      rotated.standard_output,
      "workflows: 1 sealed again\nworkflow_versions: 1 sealed again\nworkflow_secrets: 1 sealed "
      "again\nbusiness_defaults: 1 sealed again\n"
      "vapid_keys: 1 sealed again\nfeed_key: 1 sealed again\n"
      "integrations: 2 sealed again\ncarrier_configurations: 3 sealed again\nmail_outbox: 1 sealed again\n"
      "idempotency_keys: 1 sealed again\njob_contents: 1 sealed again\nonly the key of " +
          new_key + " is needed now\n");
  const Finished again = rotate(new_key);
  EXPECT_EQ(again.status, 0) << again.standard_error;
  EXPECT_THAT(again.standard_output, HasSubstr("workflows: 0 sealed again\n"));
  EXPECT_THAT(refusal(old_key), HasSubstr("--secret-key-file"));

  Waybill with_new(database.url(), with("up", new_key));
  EXPECT_EQ(with_new.http(tenant.http.token())
                .post("/api/v1/Orders", order, {{"Idempotency-Key", "one"}})
                .header("idempotency-replayed"),
            "true");
  for (const auto& query : {"after=" + cursor, "before=" + backwards})
    EXPECT_EQ(with_new.http(tenant.http.token()).get("/api/events?" + query).status, 200)
        << "a cursor never expires";
}

TEST_F(Keys, UpMakesNoKeyForADatabaseThatHasOne) {
  {
    const Waybill first(database.url(), with("up", old_key));
  }
  const std::string mistyped = directory / "mistyped.key";
  const Finished refused = run({waybill_binary(), "up", "--database-url", database.url(), "--listen",
                                "127.0.0.1:0", "--metrics-listen", "off", "--secret-key-file", mistyped});
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.standard_error, HasSubstr("--secret-key-file: "));
  EXPECT_THAT(refused.standard_error, HasSubstr("mistyped.key"));
  EXPECT_FALSE(fs::exists(mistyped));
}

TEST_F(Keys, AnAddressFindsItsMailsAfterARotation) {
  std::string token;
  {
    Waybill up(database.url(), with("up", old_key));
    Tenant tenant(up, "acme");
    token = tenant.http.token();
    const std::string workflow = tenant.webhook(
        "", "order_created",
        {{"action",
          {{"type", "send_email"}, {"recipient", "ada@example.com"}, {"subject", "s"}, {"body", "b"}}}});
    tenant.create_order();
    tenant.run_with_status(workflow, "succeeded");
    EXPECT_EQ(up.stop(), 0);
  }
  const Finished rotated = rotate(new_key + "," + old_key);
  EXPECT_EQ(rotated.status, 0) << rotated.standard_error;
  Waybill with_new(database.url(), with("up", new_key));
  const Response found = with_new.http(token).get("/api/messages?address=ada@example.com");
  EXPECT_EQ(found.status, 200) << found.text;
  EXPECT_EQ(found.data().as_array().size(), 1U);
}

TEST_F(Keys, ACursorOfAnEarlierVersionIsReadAndWrittenWhileSuchVersionsMayRun) {
  Waybill up(database.url(), with("up", old_key));
  Tenant tenant(up, "acme");
  const auto cursor_of_key = text_at(tenant.http.get("/api/events").body, "nextCursor");
  database.exec("update feed_key set used_from = now() + interval '1 day'");
  const auto earlier = text_at(tenant.http.get("/api/events?after=" + cursor_of_key).body, "nextCursor");
  EXPECT_EQ(up.stop(), 0);
  database.exec("update feed_key set sealed = null");
  Waybill without_that_key(database.url(), with("up", old_key));
  auto http = without_that_key.http(tenant.http.token());
  EXPECT_EQ(http.get("/api/events?after=" + earlier).status, 200);
  EXPECT_EQ(http.get("/api/events?after=" + cursor_of_key).status, 400);
}

TEST_F(Keys, ARotationThatIsKilledIsFinishedByTheNext) {
  Receiver receiver;
  {
    Waybill up(database.url(), with("up", old_key));
    Tenant tenant(up, "acme");
    seal_everything(database, tenant, tenant.webhook(receiver.url("/hook"), "order_created"), old_key);
  }
  {
    // Workflow secrets are sealed again before integrations, whose row is locked.
    Session locker(database.url());
    locker.exec("begin");
    locker.exec("select from integrations for update");
    Process rotation({waybill_binary(), "key", "rotate", "--wait", "1", "--database-url", database.url(),
                      "--secret-key-file", new_key + "," + old_key});
    ASSERT_TRUE(eventually([&] {
      return database.number(
                 "select count(*) from pg_stat_activity where datname = current_database() "
                 "and wait_event_type = 'Lock'") == 1;
    }));
    rotation.kill(SIGKILL);
    EXPECT_EQ(rotation.wait_exit(), 128 + SIGKILL);
  }
  {
    Waybill up(database.url(), with("up", new_key + "," + old_key));
    Tenant(up, "acme").create_order();
    EXPECT_EQ(receiver.wait_for("/hook", 1).size(), 1U) << "values of both keys are opened";
    EXPECT_TRUE(eventually([&] { return database.number("select count(*) from runs") == 1; }))
        << "a kill before would repeat the webhook";
  }
  EXPECT_THAT(refusal(new_key), HasSubstr("--secret-key-file")) << "the old key is still needed";
  const Finished rotated = rotate(new_key + "," + old_key);
  EXPECT_EQ(rotated.status, 0) << rotated.standard_output << rotated.standard_error;
  EXPECT_THAT(rotated.standard_output, HasSubstr("workflow_secrets: 0 sealed again\n"));
  Waybill up(database.url(), with("up", new_key));
  Tenant(up, "acme").create_order();
  EXPECT_EQ(receiver.wait_for("/hook", 2).size(), 2U);
}

TEST_F(Keys, RotateRunsWhileProcessesWrite) {
  Receiver receiver;
  std::string workflow;
  {
    Waybill up(database.url(), with("up", old_key));
    workflow = Tenant(up, "acme").webhook(receiver.url("/hook"), "order_created");
  }
  {
    Waybill api(database.url(), with("api", new_key + "," + old_key));
    const Waybill worker(database.url(), with("worker", new_key + "," + old_key));
    ASSERT_TRUE(encrypts_with_first_key(2));
    Tenant tenant(api, "acme");
    std::atomic<bool> is_done = false;
    std::jthread writer([&] {
      for (int i = 0; !is_done; ++i) {
        const Response made =
            tenant.http.post("/api/workflows/configured/" + workflow + "/rotate-secret", json::object{},
                             {{"Idempotency-Key", "key-" + std::to_string(i)}});
        EXPECT_EQ(made.status, 200) << made.text;
      }
    });
    const Finished rotated = rotate(new_key + "," + old_key);
    is_done = true;
    writer.join();
    EXPECT_EQ(rotated.status, 0) << rotated.standard_output << rotated.standard_error;
  }
  Waybill up(database.url(), with("up", new_key));
  Tenant(up, "acme").create_order();
  EXPECT_EQ(receiver.wait_for("/hook", 1).size(), 1U) << "a worker with the new key alone opens the secret";
}

TEST_F(Keys, TotalsOfOwnDataStayExactWhileARotationRuns) {
  Waybill up(database.url(), with("up", new_key + "," + old_key));
  Tenant tenant(up, "acme");
  constexpr std::int64_t first = 4000;  // from here on a value has a total of its own
  tenant.sql.rows(
      "insert into orders (business_id, order_number, tags) select $1::uuid, 'N-' || n, '[\"hot\"]' "
      "from generate_series(1, 4000) n",
      {tenant.id});
  tenant.sql.rows(
      "insert into own_data_totals (business_id, entity_type, value) values ($1, 0, 'thot') on conflict do "
      "nothing",
      {tenant.id});
  ASSERT_TRUE(eventually(
      [&] {
        return tenant.sql.number(
                   "select coalesce(max(total), 0)::bigint from own_data_totals where business_id = $1 and "
                   "value = 'thot'",
                   {tenant.id}) == first;
      },
      std::chrono::seconds(60)));
  std::atomic<bool> is_done = false;
  std::jthread reader([&] {
    for (std::int64_t total = first + 1; !is_done; ++total) {
      tenant.insert_order({{"tags", "'[\"HOT\"]'"}});
      for (const auto& [filter, expected] :
           {std::pair("tags%20eq%20'Hot'", total), {"tags%20ne%20'Hot'", std::int64_t{0}}}) {
        const Response list = tenant.http.get("/api/v1/Orders?PageSize=1&$filter=" + std::string(filter));
        EXPECT_EQ(list.status, 200) << list.text;
        EXPECT_EQ(at(list.body, "totalCount").to_number<std::int64_t>(), expected) << filter;
      }
    }
  });
  for (int i = 0; i < 3; ++i) {
    const Finished rotated = rotate(new_key + "," + old_key);
    EXPECT_EQ(rotated.status, 0) << rotated.standard_output << rotated.standard_error;
  }
  is_done = true;
}

TEST_F(Keys, AProcessSealsWithTheFirstKeyOnceAllProcessesHaveIt) {
  auto first = std::make_unique<Waybill>(database.url(), with("api", old_key));
  Waybill second(database.url(), with("api", new_key + "," + old_key));
  EXPECT_TRUE(second.process().wait_for_line("key.waiting"));
  EXPECT_EQ(database.number("select count(*) from processes where sealing_key = key_ids[1]"), 1)
      << "the second process encrypts with the old key";
  EXPECT_EQ(first->stop(), 0);
  EXPECT_TRUE(encrypts_with_first_key(1));
  EXPECT_THAT(refusal(old_key), HasSubstr("sealed with a further secret key"))
      << "the second process encrypts with a key that this one lacks";
}

TEST_F(Keys, RotateNamesTheProcessesThatLackTheKey) {
  Waybill api(database.url(), with("api", old_key));
  const Finished refused = rotate(new_key + "," + old_key);
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.standard_error, HasSubstr("do not have the new key"));
  EXPECT_EQ(database.number("select count(*) from secret_keys"), 1)
      << "processes with the old key still start";
  EXPECT_THAT(refused.standard_error, HasSubstr(":" + std::to_string(api.process().pid())));
}

TEST_F(Keys, RotateReportsValuesThatNoKeyOpens) {
  const std::string id = "00000000-0000-4000-8000-000000000001";
  ASSERT_EQ(rotate(old_key).status, 0);
  database.exec("insert into mail_outbox (guid, sealed, due_at, expires_at) values ('" + id +
                "', '\\x00', now() + interval '1 day', now() + interval '1 day')");
  const Finished refused = rotate(new_key + "," + old_key);
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.standard_output, HasSubstr("mail_outbox: 0 sealed again, 1 that no key opens\n"));
  database.exec("delete from mail_outbox");
  EXPECT_EQ(rotate(new_key + "," + old_key).status, 0);
}

}  // namespace
}  // namespace waybill::tests
