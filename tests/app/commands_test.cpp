#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <signal.h>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/crypto.hpp"
#include "base/json.hpp"
#include "storage/schema/migrate.hpp"
#include "storage/statement/statement_list.hpp"
#include "tests/harness/eventually.hpp"
#include "tests/harness/postgres.hpp"
#include "tests/harness/process.hpp"
#include "tests/harness/receiver.hpp"
#include "tests/harness/server.hpp"

namespace waybill::tests {
namespace {

namespace fs = std::filesystem;

Finished waybill(std::vector<std::string> arguments, const Process::Options& options = {}) {
  arguments.insert(arguments.begin(), waybill_binary());
  return run(std::move(arguments), options);
}

Finished token_create(const fs::path& data_dir, const Process::Options& options = {}) {
  return waybill({"token", "create", "--business", "Acme", "--data-dir", data_dir}, options);
}

bool is_token(const std::string& line) {
  return line.size() == 3 + 43 + 1 && line.starts_with("wb_") && line.ends_with('\n') &&
         base64url_decode(line.substr(3, 43)).has_value();
}

TEST(Command, TokenCreatePrintsOnlyTheToken) {
  const TestDatabase database;
  const Finished created = waybill({"token", "create", "--business", "Acme", "--name", "till", "--role",
                                    "viewer", "--plan", "pro", "--database-url", database.url()});
  EXPECT_EQ(created.status, 0) << created.standard_error;
  EXPECT_TRUE(is_token(created.standard_output)) << created.standard_output;
}

TEST(Command, TokenCreateStoresOnlyTheHash) {
  TestDatabase database;
  const std::string token =
      waybill({"token", "create", "--business", "Acme", "--database-url", database.url()})
          .standard_output.substr(0, 46);
  EXPECT_EQ(database.value("select encode(token_hash, 'hex') from api_tokens"), hex(sha256(token)));
  EXPECT_EQ(database.value("select name || ' ' || plan from businesses"), "Acme standard");
  EXPECT_EQ(database.value("select role from api_tokens"), "admin");
}

TEST(Command, TokenCreateUsesTheBusinessOfThatName) {
  TestDatabase database;
  std::vector<std::thread> several;
  for (int i = 0; i < 4; ++i) {
    several.emplace_back(
        [&] { waybill({"token", "create", "--business", "Acme", "--database-url", database.url()}); });
  }
  for (std::thread& worker : several) worker.join();
  EXPECT_EQ(database.number("select count(*) from businesses"), 1);
  EXPECT_EQ(database.number("select count(*) from api_tokens"), 4);
}

TEST(Command, TokenCreateKeepsThePlanOfAnExistingBusiness) {
  TestDatabase database;
  waybill({"token", "create", "--business", "Acme", "--plan", "pro", "--database-url", database.url()});
  const Finished second =
      waybill({"token", "create", "--business", "Acme", "--plan", "free", "--database-url", database.url()});
  EXPECT_TRUE(is_token(second.standard_output));
  EXPECT_NE(second.standard_error.find("keeps its plan pro"), std::string::npos);
  EXPECT_EQ(database.value("select plan from businesses"), "pro");
}

TEST(Command, TokenCreateSaysThatTheApiRefusesTheTokensOfAPlan) {
  const TestDatabase database;
  const auto create = [&](const std::string& business, const std::string& plan) {
    return waybill({"token", "create", "--business", business, "--plan", plan, "--plans", "trial=5:no-api",
                    "--database-url", database.url()});
  };
  for (const char* const plan : {"free", "trial"}) {
    const Finished created = create(std::string("Acme ") + plan, plan);
    EXPECT_EQ(created.status, 0);
    EXPECT_TRUE(is_token(created.standard_output)) << "the plan may change";
    EXPECT_NE(created.standard_error.find(
                  std::string("the API refuses this token while the business has the plan ") + plan),
              std::string::npos)
        << created.standard_error;
  }
  EXPECT_NE(create("Acme free", "pro").standard_error.find("the API refuses this token"), std::string::npos)
      << "the business keeps its plan";
  EXPECT_EQ(create("Beta", "standard").standard_error, "");
}

TEST(Command, ANameThatABusinessChoseItselfIsNotTheOperators) {
  TestDatabase database;
  database.exec("insert into businesses (name, registered_by_itself) values ('Acme Ltd', true)");
  database.exec("insert into businesses (name, renamed_itself) values ('Acme Ltd', true)");
  const auto set_plan = [&](const std::string& business) {
    return waybill(
        {"business", "set-plan", "--business", business, "--plan", "pro", "--database-url", database.url()});
  };
  const Finished refused = set_plan("Acme Ltd");
  EXPECT_EQ(refused.status, 1);
  for (const auto& guid : Session(database.url()).column("select guid from businesses"))
    EXPECT_NE(refused.standard_error.find(guid), std::string::npos) << refused.standard_error;
  EXPECT_TRUE(
      is_token(waybill({"token", "create", "--business", "Acme Ltd", "--database-url", database.url()})
                   .standard_output));
  EXPECT_EQ(database.number("select count(*) from businesses"), 3);
  EXPECT_EQ(database.number("select count(*) from api_tokens t join businesses b on b.guid = t.business_id "
                            "where b.registered_by_itself is null and b.renamed_itself is null"),
            1);
  EXPECT_EQ(set_plan("Acme Ltd").status, 0);
  EXPECT_EQ(
      database.number("select count(*) from businesses where plan = 'pro' and registered_by_itself is null "
                      "and renamed_itself is null"),
      1);
  const Finished usage =
      waybill({"business", "usage", "--business", "Acme Ltd", "--database-url", database.url()});
  EXPECT_EQ(usage.status, 1) << "three businesses have the name";
}

TEST(Command, ABusinessWithASharedNameIsSelectedByItsGuid) {
  TestDatabase database;
  database.exec("insert into businesses (name) values ('Acme'), ('Acme')");
  const std::string first = database.value("select guid from businesses order by guid limit 1");
  const auto create = [&](const std::string& business) {
    return waybill({"token", "create", "--business", business, "--database-url", database.url()});
  };
  const auto set_plan = [&](const std::string& business) {
    return waybill(
        {"business", "set-plan", "--business", business, "--plan", "pro", "--database-url", database.url()});
  };
  for (const Finished& refused : {create("Acme"), set_plan("Acme")}) {
    EXPECT_NE(refused.status, 0);
    EXPECT_EQ(refused.standard_output, "");
    EXPECT_NE(refused.standard_error.find(first), std::string::npos) << refused.standard_error;
  }
  EXPECT_EQ(database.number("select count(*) from api_tokens"), 0);
  EXPECT_EQ(set_plan(first).status, 0);
  EXPECT_EQ(database.value("select guid from businesses where plan = 'pro'"), first);
  EXPECT_TRUE(is_token(create(first).standard_output));
  EXPECT_EQ(database.value("select business_id from api_tokens"), first);
}

TEST(Command, ABusinessNameHasUpTo200CharactersAndMustNotBeBlank) {
  TestDatabase database;
  const auto status = [&](const std::string& business) {
    return waybill({"token", "create", "--business", business, "--database-url", database.url()}).status;
  };
  std::string name;
  for (int i = 0; i < 200; ++i) name += "é";
  EXPECT_EQ(status(name), 0);
  EXPECT_NE(status(name + "é"), 0);
  EXPECT_NE(status("   "), 0);
  EXPECT_NE(status("\xff"), 0);
}

TEST(Command, AListEscapesControlCharactersOfNames) {
  TestDatabase database;
  const std::string name = "a\nb\x1b[31m \xc2\x9b \xc3\xa9 \u202e\u2028\u2029\u200b\U000e0041\U0001f600";
  database.rows("insert into businesses (name) values ($1)", {name});
  const std::string list = waybill({"business", "list", "--database-url", database.url()}).standard_output;
  EXPECT_NE(
      list.find(
          "a\\u000ab\\u001b[31m \\u009b \xc3\xa9 \\u202e\\u2028\\u2029\\u200b\\udb40\\udc41\U0001f600\n"),
      std::string::npos)
      << list;
  const std::string usage =
      waybill({"business", "usage", "--business", database.value("select guid from businesses"),
               "--database-url", database.url()})
          .standard_output;
  EXPECT_EQ(usage.find("\u202e"), std::string::npos) << usage;
}

TEST(Command, TokenCreateWorksAfterACrash) {
  const TempDirectory directory;
  const fs::path data_dir = directory / "data";
  {
    Waybill up("", {.data_dir = data_dir});
    up.process().kill_tree();
  }
  const Finished created = token_create(data_dir);
  EXPECT_EQ(created.status, 0) << created.standard_error;
  ASSERT_TRUE(is_token(created.standard_output)) << created.standard_output;
  const Waybill again("", {.data_dir = data_dir});
  EXPECT_EQ(again.http(created.standard_output.substr(0, 46)).request("GET", "/api/v1/Orders").status, 200);
}

TEST(Command, UpWithClosedStandardDescriptorsWritesNoLogIntoItsFiles) {
  const TempDirectory directory;
  const fs::path data_dir = directory / "data";
  Process up({"sh", "-c",
              "exec \"$0\" up --data-dir \"$1\" --listen 127.0.0.1:0 --metrics-listen off <&- >&- 2>&-",
              waybill_binary(), data_dir});
  EXPECT_TRUE(eventually([&] { return token_create(data_dir).status == 0; }, std::chrono::seconds(60)));
  const auto pid = std::to_string(up.pid());
  up.kill(SIGTERM);
  EXPECT_EQ(up.wait_exit(), 0);
  std::ifstream lock(data_dir / "up.lock");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(lock), {}), pid + "\n");
}

TEST(Command, AUserWithAccessToTheDataDirectoryReachesTheDatabase) {
  const auto user = unprivileged_user();
  if (!user) return;  // there is only one user to test with
  const TempDirectory directory;
  const Waybill up("", {.data_dir = directory / "data"});
  EXPECT_NE(token_create(directory / "data", {.user = user}).status, 0);
  fs::permissions(
      directory / "data",
      fs::perms::group_read | fs::perms::group_exec | fs::perms::others_read | fs::perms::others_exec,
      fs::perm_options::add);
  const Finished created = token_create(directory / "data", {.user = user});
  EXPECT_TRUE(is_token(created.standard_output)) << created.standard_error;
}

TEST(Command, WithoutADatabaseTheErrorSuggestsARemedy) {
  const TempDirectory directory;
  const Finished refused = token_create(directory / "none");
  EXPECT_EQ(refused.status, 1);
  EXPECT_EQ(refused.standard_output, "");
  EXPECT_NE(refused.standard_error.find("waybill up"), std::string::npos) << refused.standard_error;
  EXPECT_FALSE(fs::exists(directory / "none"));
}

TEST(Command, AMissingSchemaIsReported) {
  const TestDatabase database(TestDatabase::Content::empty);
  const Finished refused =
      waybill({"token", "create", "--business", "Acme", "--database-url", database.url()});
  EXPECT_EQ(refused.status, 1);
  EXPECT_NE(refused.standard_error.find("waybill migrate"), std::string::npos) << refused.standard_error;
}

TEST(Command, ASchemaWithoutAColumnOfThisVersionIsReported) {
  const TestDatabase database(TestDatabase::Content::empty);
  const auto migrations = storage::migrations();
  const auto adds_column =
      std::ranges::find(migrations, "0027_suspended_businesses", &storage::Statement::name);
  ASSERT_NE(adds_column, migrations.end());
  storage::migrate(database.url(), {migrations.begin(), adds_column});
  const Finished refused = waybill({"business", "list", "--database-url", database.url()});
  EXPECT_EQ(refused.status, 1);
  EXPECT_NE(refused.standard_error.find("waybill migrate"), std::string::npos) << refused.standard_error;
}

TEST(Command, AProcessDoesNotStartWithoutTheNewestMigration) {
  const TestDatabase database(TestDatabase::Content::empty);
  const auto migrations = storage::migrations();
  storage::migrate(database.url(), migrations.first(migrations.size() - 1));
  const std::string newest(migrations.back().name);
  const TempDirectory directory;
  std::ofstream(directory / "key") << hex(random_bytes(32));
  for (const char* const command : {"api", "worker"}) {
    const Finished refused =
        waybill({command, "--database-url", database.url(), "--metrics-listen", "off", "--data-dir",
                 directory / "data", "--secret-key-file", directory / "key"});
    EXPECT_EQ(refused.status, 2) << command;
    EXPECT_NE(refused.standard_error.find("the database lacks " + newest + ": run `waybill migrate` first"),
              std::string::npos)
        << refused.standard_error;
  }
}

TEST(Command, ConcurrentMigrationsAreSafe) {
  TestDatabase database(TestDatabase::Content::empty);
  std::vector<std::thread> several;
  std::atomic<int> succeeded = 0;
  for (int i = 0; i < 4; ++i) {
    several.emplace_back(
        [&] { succeeded += waybill({"migrate", "--database-url", database.url()}).status == 0 ? 1 : 0; });
  }
  for (std::thread& worker : several) worker.join();
  EXPECT_EQ(succeeded, 4);
  EXPECT_EQ(database.number("select count(*) from businesses"), 0);
}

TEST(Command, SetPlanChangesThePlan) {
  TestDatabase database;
  waybill({"token", "create", "--business", "Acme", "--database-url", database.url()});
  const auto set = [&](const char* business, const char* plan) {
    return waybill({"business", "set-plan", "--business", business, "--plan", plan, "--database-url",
                    database.url()})
        .status;
  };
  EXPECT_EQ(set("Acme", "pro"), 0);
  EXPECT_EQ(database.value("select plan from businesses"), "pro");
  EXPECT_EQ(set("Acme", "platinum"), 1);
  EXPECT_EQ(set("Nobody", "pro"), 1);
  EXPECT_EQ(database.value("select plan from businesses"), "pro");
}

TEST(Command, UnknownOptionsVariablesAndConfigurationKeysAreRefused) {
  const TempDirectory directory;
  std::ofstream(directory / "bad.toml") << "lisen = \"127.0.0.1:0\"\n";
  EXPECT_EQ(waybill({"up", "--lisen", "127.0.0.1:0"}).status, 2);
  EXPECT_EQ(waybill({"up"}, {.environment = {{"WAYBILL_LISEN", "127.0.0.1:0"}}}).status, 2);
  EXPECT_EQ(waybill({"up", "--config", directory / "bad.toml"}).status, 2);
  EXPECT_EQ(waybill({"upp"}).status, 2);
  EXPECT_NE(waybill({"upp"}).standard_error.find("upp"), std::string::npos);
  EXPECT_NE(waybill({"business", "lst"}).standard_error.find("lst"), std::string::npos);
  EXPECT_EQ(waybill({}).status, 2);
}

TEST(Command, OnlyAFileWithWrongContentIsAMistakeOfUsageAndEachIsNamedWithItsOption) {
  const TestDatabase database;
  const TempDirectory directory;
  const std::string key = directory / "key";
  std::ofstream(key) << std::string(64, '5') << '\n';
  std::ofstream(directory / "wrong") << "neither\n";
  for (const std::string command : {"api", "worker"}) {
    const auto start = [&](const std::string& key_file, const std::string& ca_file) {
      return waybill({command, "--database-url", database.url(), "--metrics-listen", "off",
                      "--secret-key-file", key_file, "--ca-file", ca_file});
    };
    const Finished certificates = start(key, "/nowhere.pem");
    EXPECT_EQ(certificates.status, 1) << "a mount may come later: " << certificates.standard_error;
    EXPECT_NE(certificates.standard_error.find("--ca-file: cannot read the CA certificates of /nowhere.pem"),
              std::string::npos)
        << certificates.standard_error;
    const Finished keys = start("/nowhere.key", "");
    EXPECT_EQ(keys.status, 1) << keys.standard_error;
    EXPECT_NE(keys.standard_error.find("--secret-key-file: "), std::string::npos) << keys.standard_error;
    EXPECT_EQ(start(directory / "wrong", "").status, 2);
    EXPECT_EQ(start(key, directory / "wrong").status, 2);
  }
}

TEST(Command, OutputThatCannotBeWrittenIsAnError) {
  const Finished lost = run({"/bin/sh", "-c", "'" + waybill_binary().string() + "' version > /dev/full"});
  EXPECT_EQ(lost.status, 1);
  EXPECT_NE(lost.standard_error.find("cannot write to the standard output"), std::string::npos);
}

TEST(Command, HelpListsTheOptionsOfTheCommand) {
  const auto lists = [](const std::vector<std::string>& command, std::string_view option) {
    std::vector<std::string> arguments = command;
    arguments.emplace_back("--help");
    const Finished shown = waybill(arguments);
    EXPECT_EQ(shown.status, 0);
    return shown.standard_output.find("  --" + std::string(option) + " ") != std::string::npos;
  };
  for (const char* option : {"config", "listen", "data-dir", "retry-schedule", "pg-bin-dir"}) {
    EXPECT_TRUE(lists({"up"}, option)) << option;
  }
  EXPECT_TRUE(lists({"api"}, "listen"));
  EXPECT_FALSE(lists({"worker"}, "listen"));
  EXPECT_TRUE(lists({"worker"}, "retry-schedule"));
  EXPECT_TRUE(lists({"token", "create"}, "role"));
  EXPECT_TRUE(lists({"token", "create"}, "data-dir"));
  EXPECT_FALSE(lists({"migrate"}, "listen"));
  EXPECT_FALSE(lists({"version"}, "config"));
}

/// The texts that a pattern captures in the lines of a part of a command's help.
std::vector<std::string> listed(const std::string& help, const std::string& part, const std::regex& pattern) {
  std::vector<std::string> found;
  std::istringstream lines(help);
  bool is_inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.ends_with(':') && !line.starts_with(' ')) is_inside = line == part + ":";
    std::smatch match;
    if (is_inside && std::regex_search(line, match, pattern)) found.push_back(match[1]);
  }
  return found;
}

using Words = std::vector<std::string>;

Words joined(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// Calls `visit` with each command that has none of its own, and the options that take a value.
void for_each_command(const Words& command, const std::function<void(const Words&, const Words&)>& visit) {
  static const std::regex name("^  ([a-z-]+) "), option("^  (--[a-z-]+) [A-Z]");
  const std::string help = waybill(joined(command, {"--help"})).standard_output;
  const Words parts = listed(help, "Subcommands", name);
  for (const std::string& part : parts) for_each_command(joined(command, {part}), visit);
  if (parts.empty()) visit(command, listed(help, "Options", option));
}

TEST(Command, AWrongValueOfAnyOptionOfACommandIsNamedWithTheOption) {
  const TestDatabase database;
  const TempDirectory directory;
  const Words place{"--database-url", database.url(), "--data-dir", directory.path()};
  ASSERT_EQ(waybill(joined({"token", "create", "--business", "Acme"}, place)).status, 0);
  const std::map<std::string, std::string> right{
      {"--business", "Acme"}, {"--plan", "pro"}, {"--output", directory / "output"}};
  const std::map<std::string, std::string> wrong{{"--business", "  "}, {"--name", "  "}, {"--output", ""}};
  std::set<std::string> tried;
  for_each_command({}, [&](const Words& command, const Words& options) {
    for (const std::string& tested : options) {
      Words arguments = command;
      for (const std::string& option : options) {
        const auto value = right.find(option);
        if (option != tested && value != right.end()) arguments = joined(arguments, {option, value->second});
      }
      const auto value = wrong.find(tested);
      arguments = joined(arguments, {tested, value == wrong.end() ? "x" : value->second});
      const Finished refused = waybill(joined(arguments, place));
      EXPECT_NE(refused.status, 0) << arguments.front();
      const std::string message = std::regex_replace(refused.standard_error, std::regex("^waybill: "), "");
      EXPECT_TRUE(message.starts_with(tested + " must ") || message.starts_with(tested + ": "))
          << testing::PrintToString(arguments) << ": " << message;
      tried.insert(tested);
    }
  });
  EXPECT_THAT(tried, testing::IsSupersetOf({"--business", "--plan", "--output", "--customer", "--role",
                                            "--name", "--wait", "--url", "--receive-on"}));
}

TEST(Command, VariablesAndFilesConfigureAProcess) {
  const TestDatabase database;
  const TempDirectory directory;
  std::ofstream(directory / "waybill.toml")
      << "database-url = \"" << database.url() << "\"\nmetrics-listen = \"off\"\n";
  Process up(
      {waybill_binary(), "up", "--data-dir", directory / "data"},
      {.environment = {{"WAYBILL_CONFIG", directory / "waybill.toml"}, {"WAYBILL_LISTEN", "127.0.0.1:0"}},
       .death_signal = SIGTERM});
  EXPECT_TRUE(up.wait_for_line("listening on http://127.0.0.1:", std::chrono::seconds(30)))
      << up.standard_error();
}

TEST(Command, VapidKeysPrintsAP256KeyPair) {
  const std::string printed = waybill({"vapid-keys"}).standard_output;
  const std::size_t second = printed.find("\nprivate ");
  ASSERT_TRUE(printed.starts_with("public ") && second != std::string::npos) << printed;
  const auto point = base64url_decode(printed.substr(7, second - 7));
  const auto scalar = base64url_decode(printed.substr(second + 9, printed.size() - second - 10));
  ASSERT_TRUE(point && scalar);
  EXPECT_EQ(point->size(), 65U);
  EXPECT_EQ(point->front(), 4);
  EXPECT_EQ(scalar->size(), 32U);
  EXPECT_NE(printed, waybill({"vapid-keys"}).standard_output);
}

TEST(Command, OpenApiPrintsADocumentOfVersion31) {
  const auto document = json::parse(waybill({"openapi"}).standard_output);
  EXPECT_TRUE(std::string(document.at("openapi").as_string()).starts_with("3.1"));
}

TEST(Command, DemoVerifiesASignedWebhook) {
  const TempDirectory directory;
  const Waybill up("", {.data_dir = directory / "data"});
  for (int round = 0; round < 2; ++round) {
    const Finished demo = waybill({"demo", "--data-dir", directory / "data"});
    EXPECT_EQ(demo.status, 0) << demo.standard_error;
    EXPECT_NE(demo.standard_output.find("signature  valid"), std::string::npos) << demo.standard_output;
    EXPECT_NE(demo.standard_output.find(" ms from commit"), std::string::npos) << demo.standard_output;
  }
  EXPECT_EQ(Session(up.database_url())
                .number("select count(*) from workflows where name like 'Demo%' and is_active"),
            0)
      << "the demo's receiver has stopped";
}

TEST(Command, DemoReportsThatTheServiceRefusesItsReceiver) {
  const TestDatabase database;
  const TempDirectory directory;
  const Waybill up(database.url(), {.allow_private_destinations = false});
  const Finished demo = waybill({"demo", "--database-url", database.url(), "--data-dir", directory.path(),
                                 "--url", "http://127.0.0.1:" + std::to_string(up.port())});
  EXPECT_EQ(demo.status, 1);
  EXPECT_NE(demo.standard_error.find("--allow-private-destinations"), std::string::npos)
      << demo.standard_error;
}

TEST(Command, DemoReportsAMissingService) {
  const TempDirectory directory;
  const Finished demo = waybill({"demo", "--data-dir", directory / "data", "--listen", "127.0.0.1:1"});
  EXPECT_EQ(demo.status, 1);
  EXPECT_NE(demo.standard_error.find("waybill up"), std::string::npos) << demo.standard_error;
}

TEST(Command, MetricsHaveTheirOwnListener) {
  const TestDatabase database;
  Waybill up(database.url(), {.arguments = {"--metrics-listen", "127.0.0.1:0"}});
  const auto line = up.process().wait_for_line("/metrics");
  ASSERT_TRUE(line);
  const std::size_t colon = line->find("127.0.0.1:");
  const Response response = Http("127.0.0.1", std::stoi(line->substr(colon + 10))).request("GET", "/metrics");
  EXPECT_EQ(response.status, 200);
  EXPECT_NE(response.text.find("waybill_"), std::string::npos);
}

TEST(Command, ASecondSigtermEndsTheProcessAtOnce) {
  const TestDatabase database;
  Waybill up(database.url());
  // A half-sent request keeps the first SIGTERM waiting.
  RawConnection slow("127.0.0.1", up.port());
  slow.send("POST /api/v1/Orders HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + up.token("Acme") +
            "\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{");
  up.process().kill(SIGTERM);
  ASSERT_TRUE(up.process().wait_for_line("server.stopping"));
  up.process().kill(SIGTERM);
  EXPECT_EQ(up.process().wait_exit(std::chrono::seconds(2)), 128 + SIGTERM);
}

}  // namespace
}  // namespace waybill::tests
