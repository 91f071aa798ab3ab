#include "app/config/config.hpp"

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <unistd.h>

#include <gtest/gtest.h>

namespace waybill::app {
namespace {

class File {
 public:
  explicit File(const std::string& content)
      : path_(std::filesystem::temp_directory_path() /
              ("waybill-config-" + std::to_string(::getpid()) + ".toml")) {
    std::ofstream(path_) << content;
  }
  ~File() { std::filesystem::remove(path_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  std::string path() const { return path_; }

 private:
  std::filesystem::path path_;
};

std::string error_of(const GivenValues& flags, const std::vector<std::string>& environment = {}) {
  try {
    read_config(flags, environment);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return {};
}

TEST(Config, DefaultsAreThoseOfTheContract) {
  const Config config = read_config({}, {});
  EXPECT_EQ(config.listen.text(), "127.0.0.1:8080");
  EXPECT_EQ(config.data_dir, "./waybill-data");
  EXPECT_EQ(config.mail_dir, "./waybill-data/mail");
  EXPECT_EQ(config.secret_key_files, std::vector<std::filesystem::path>{"./waybill-data/secret.key"});
  EXPECT_FALSE(config.allow_private_destinations);
  EXPECT_EQ(config.retry_schedule.max_attempts(), 8U);
  EXPECT_EQ(config.runs_retention_days, 30);
}

TEST(Config, AMemoryLimitHasAUnitOrIsInBytes) {
  const auto limit = [](std::string text) {
    return read_config({{"memory-limit", {text}}}, {}).memory_limit;
  };
  EXPECT_EQ(read_config({}, {}).memory_limit, 0);
  EXPECT_EQ(limit("536870912"), 512L << 20);
  EXPECT_EQ(limit("512M"), 512L << 20);
  EXPECT_EQ(limit("512m"), 512L << 20);
  EXPECT_EQ(limit("65536K"), 64L << 20);
  EXPECT_EQ(limit("1024G"), 1024L << 30);
  for (const std::string text : {"0", "1", "67108863", "65535K", "63M", "1025G", "-64M", "M", "64 M", "64MB",
                                 "1.5G", "9223372036854775807G", "half"}) {
    EXPECT_NE(error_of({{"memory-limit", {text}}}).find("--memory-limit"), std::string::npos) << text;
  }
}

TEST(Config, MailAndKeyFollowTheDataDirectory) {
  const Config config = read_config({{"data-dir", {"/srv/w"}}}, {});
  EXPECT_EQ(config.mail_dir, "/srv/w/mail");
  EXPECT_EQ(config.secret_key_files, std::vector<std::filesystem::path>{"/srv/w/secret.key"});
}

TEST(Config, AFlagOverridesTheVariableTheFileAndTheDefault) {
  const File file("listen = \"127.0.0.1:1\"\nio-threads = 1\nruns-retention-days = 7\n");
  const Config config =
      read_config({{"config", {file.path()}}, {"listen", {"127.0.0.1:3"}}},
                  std::vector<std::string>{"WAYBILL_LISTEN=127.0.0.1:2", "WAYBILL_IO_THREADS=2"});
  EXPECT_EQ(config.listen.port, 3);
  EXPECT_EQ(config.io_threads, 2);
  EXPECT_EQ(config.runs_retention_days, 7);
}

TEST(Config, EveryOptionHasFlagVariableAndKey) {
  std::set<std::string> names;
  for (const Option& option : options()) {
    EXPECT_TRUE(names.insert(std::string(option.name)).second) << option.name;
    if (option.default_text.empty()) continue;
    const File file(std::string(option.name) + " = '" + std::string(option.default_text) + "'\n");
    EXPECT_EQ(error_of({{"config", {file.path()}}}), "") << option.name;
    EXPECT_EQ(error_of({}, {option.variable() + "=" + std::string(option.default_text)}), "") << option.name;
    EXPECT_EQ(error_of({{std::string(option.name), {std::string(option.default_text)}}}), "") << option.name;
    EXPECT_NE(configuration_document().find("`" + option.variable() + "`"), std::string::npos);
  }
  EXPECT_TRUE(names.contains("geocoder-url"));
}

TEST(Config, RefusesUnknownKeysAndVariables) {
  const File file("lisen = \"127.0.0.1:1\"\n");
  EXPECT_NE(error_of({{"config", {file.path()}}}).find("unknown key \"lisen\""), std::string::npos);
  EXPECT_NE(error_of({}, {"WAYBILL_LISEN=127.0.0.1:1"}).find("WAYBILL_LISEN"), std::string::npos);
  EXPECT_NE(error_of({{"config", {"/nonexistent.toml"}}}), "");
  EXPECT_EQ(error_of({{"config", {"/"}}}), "/: is a directory");
}

TEST(Config, RefusesFilesThatAreNotOfItsKindAndNamesTheLine) {
  const auto error_in = [](const std::string& text) {
    const File file(text);
    return error_of({{"config", {file.path()}}});
  };
  for (const char* const text : {"[listen]\na = 1\n", "io-threads = 1.5\n", "listen = 2026-11-20\n",
                                 "cors-origin = [[\"https://a\"]]\n", "listen = \"open\n"}) {
    EXPECT_NE(error_in(text).find("line 1: "), std::string::npos) << text << error_in(text);
  }
  EXPECT_NE(error_in("io-threads = 1\n\nlisten = oops\n").find("line 3: "), std::string::npos);
  EXPECT_NE(error_in("io-threads = 1\nio-threads = 2\n").find("line 2: "), std::string::npos);
  EXPECT_NE(error_in("listen = [\"127.0.0.1:1\", \"127.0.0.1:2\"]\n").find("takes one value"),
            std::string::npos);
  EXPECT_EQ(error_in(""), "");
}

TEST(Config, IgnoresForeignVariables) {
  EXPECT_EQ(error_of({}, {"PATH=/bin", "WAYBILL_TEST_CLUSTER=x", "WAYBILL_SERVICE_HOST=10.0.0.1",
                          "WAYBILL_SERVICE_PORT_HTTP=80", "WAYBILL_PORT=tcp://10.0.0.1:80",
                          "WAYBILL_PORT_80_TCP_ADDR=10.0.0.1"}),
            "");
}

TEST(Config, TheVariablesOfClientsOfTheApiAreIgnored) {
  for (const std::string value : {"", "x", "http://127.0.0.1:1"})
    EXPECT_EQ(error_of({}, {"WAYBILL_URL=" + value, "WAYBILL_TOKEN=" + value}), "") << value;
  for (const std::string name : {"WAYBILL_URLS", "WAYBILL_TOKENS", "WAYBILL_TOKEN_FILE", "WAYBILL_"})
    EXPECT_NE(error_of({}, {name + "=x"}).find(name), std::string::npos) << name;
}

TEST(Config, AnEmptyVariableIsNotSet) {
  EXPECT_EQ(read_config({}, std::vector<std::string>{"WAYBILL_LISTEN="}).listen.port, 8080);
}

TEST(Config, ListsAreSeparatedByCommas) {
  const std::vector<std::string> expected = {"https://a", "https://b"};
  EXPECT_EQ(
      read_config({}, std::vector<std::string>{"WAYBILL_CORS_ORIGIN=https://a, https://b"}).cors_origins,
      expected);
  EXPECT_EQ(read_config({{"cors-origin", {"https://a", "https://b"}}}, {}).cors_origins, expected);
  const File file("cors-origin = [\"https://a\", \"https://b\"]\n");
  EXPECT_EQ(read_config({{"config", {file.path()}}}, {}).cors_origins, expected);
}

TEST(Config, AListWithCommasMayBeAnArray) {
  const File file("retry-schedule = [\"5s\", \"5m\"]\nplans = [\"free=60\", \"pro=10\"]\n");
  const Config config = read_config({{"config", {file.path()}}}, {});
  EXPECT_EQ(config.retry_schedule.max_attempts(), 3U);
  EXPECT_EQ(config.plans, "free=60,pro=10");
  EXPECT_EQ(config.common.at("retry-schedule"), "5s,5m") << "the same as a text with commas";
  const File none("retry-schedule = []\nplans = []\n");
  EXPECT_EQ(read_config({{"config", {none.path()}}}, {}).retry_schedule.max_attempts(), 1U);
  const File twice("plans = [\"free=60\", \"free=10\"]\n");
  EXPECT_NE(error_of({{"config", {twice.path()}}}).find("plans is not valid: plan 'free' is named twice"),
            std::string::npos);
}

TEST(Config, AnEmptyEntryIsRefusedAndAnEmptyValueHasNoEntries) {
  const File file("cors-origin = [\"https://a\", \"\"]\n");
  EXPECT_EQ(error_of({{"config", {file.path()}}}),
            file.path() + ": cors-origin must not have an empty entry");
  EXPECT_EQ(error_of({}, {"WAYBILL_TRUSTED_PROXY=10.0.0.1,,10.0.0.2"}),
            "WAYBILL_TRUSTED_PROXY must not have an empty entry");
  EXPECT_TRUE(read_config({{"cors-origin", {""}}}, {}).cors_origins.empty());
  const File none("cors-origin = []\n");
  EXPECT_TRUE(read_config({{"config", {none.path()}}}, {}).cors_origins.empty());
}

TEST(Config, FormsOfOneValueAreOneCommonValue) {
  for (const std::string text : {"true", "1", "yes", "on"}) {
    const Config config = read_config({{"allow-private-destinations", {text}}}, {});
    EXPECT_TRUE(config.allow_private_destinations);
    EXPECT_EQ(config.common.at("allow-private-destinations"), "true") << text;
  }
  const Config config = read_config({{"runs-retention-days", {"007"}},
                                     {"public-url", {"https://a.example/"}},
                                     {"carrier-gateway", {"https://b.example/", "https://c.example"}},
                                     {"cors-origin", {"https://b.example", "https://a.example"}},
                                     {"retry-schedule", {"60s, 24h"}},
                                     {"plans", {"pro=8, free=7"}}},
                                    {});
  EXPECT_EQ(config.common.at("runs-retention-days"), "7");
  EXPECT_EQ(config.common.at("public-url"), "https://a.example");
  EXPECT_EQ(config.common.at("carrier-gateway"), "https://b.example,https://c.example");
  EXPECT_EQ(config.common.at("cors-origin"), "https://a.example,https://b.example");
  EXPECT_EQ(config.common.at("retry-schedule"), "1m,1d");
  EXPECT_EQ(config.common.at("plans"), "free=7,pro=8,standard=600,unlimited=1000000000");
}

TEST(Config, ErrorsNameTheFormsAndThePort) {
  EXPECT_EQ(error_of({{"allow-private-destinations", {"maybe"}}}),
            "--allow-private-destinations must be true, yes, on or 1, or false, no, off or 0");
  EXPECT_EQ(error_of({{"listen", {"127.0.0.1:99999"}}}),
            "--listen must have a port that is an integer from 0 to 65535");
}

TEST(Config, KeepsTheValuesOfCommonOptions) {
  const Config config = read_config({{"cors-origin", {"https://a.example", "https://b.example"}}},
                                    std::vector<std::string>{"WAYBILL_PLANS=free=7"});
  EXPECT_EQ(config.common.at("cors-origin"), "https://a.example,https://b.example");
  EXPECT_EQ(config.common.at("plans"), "free=7,pro=6000,standard=600,unlimited=1000000000");
  EXPECT_EQ(config.common.at("runs-retention-days"), "30") << "a default";
  EXPECT_EQ(config.common.at("allow-private-destinations"), "false") << "a default";
  EXPECT_FALSE(config.common.contains("public-url")) << "neither given nor with a default";
  EXPECT_FALSE(config.common.contains("listen")) << "each process has its own";
}

TEST(Config, OriginsHaveASchemeAndNoPath) {
  for (const char* const good :
       {"*", "https://a.example", "http://localhost:3000", "capacitor://localhost"}) {
    EXPECT_EQ(error_of({{"cors-origin", {good}}}), "") << good;
  }
  for (const char* const bad : {"a.example", "https://", "://a", "https://a/", "https://a/b"}) {
    EXPECT_EQ(error_of({{"cors-origin", {"https://good.example", bad}}}),
              "--cors-origin must be * or an origin such as https://app.example.com, without a path, not \"" +
                  std::string(bad) + "\"");
  }
  EXPECT_NE(error_of({{"cors-origin", {"https://a?b"}}}), "");
}

TEST(Config, TheDataDirectoryHasAName) {
  EXPECT_EQ(error_of({{"data-dir", {""}}}), "--data-dir must not be empty");
}

TEST(Config, TrustedProxiesAreAddressesAndBlocks) {
  const auto proxies =
      read_config({}, std::vector<std::string>{"WAYBILL_TRUSTED_PROXY=10.0.0.5, 172.16.0.0/12,fd00::/8"})
          .trusted_proxies;
  ASSERT_EQ(proxies.size(), 3U);
  for (const auto* const address : {"10.0.0.5", "::ffff:10.0.0.5", "172.31.0.1", "fd12::1"}) {
    EXPECT_TRUE(api::AddressBlock::any_has(proxies, address)) << address;
  }
  for (const auto* const address : {"10.0.0.6", "172.32.0.1", "fe80::1"}) {
    EXPECT_FALSE(api::AddressBlock::any_has(proxies, address)) << address;
  }
}

TEST(Config, AnErrorNamesTheWrongProxyAndItsSource) {
  const File file("trusted-proxy = [\"10.0.0.5\", \"10.0.0.0/33\"]\n");
  EXPECT_EQ(error_of({{"config", {file.path()}}}),
            file.path() +
                ": trusted-proxy must be an address or a block such as 10.0.0.0/8 or fd00::/8, not "
                "\"10.0.0.0/33\"");
}

TEST(Config, ReadsAddressesOfBothFamilies) {
  const ListenAddress address = parse_listen_address("[::1]:0");
  EXPECT_EQ(address.host, "::1");
  EXPECT_EQ(address.port, 0);
  EXPECT_EQ(address.text(), "[::1]:0");
}

TEST(Config, RefusesValuesOutOfBounds) {
  const std::pair<const char*, const char*> bad[] = {
      {"listen", "8080"},
      {"listen", ":8080"},
      {"listen", "host:65536"},
      {"listen", "host:-1"},
      {"listen", "::1:80"},
      {"listen", "host:"},
      {"io-threads", "257"},
      {"io-threads", "-1"},
      {"io-threads", "two"},
      {"runs-retention-days", "3651"},
      {"deleted-retention-days", "0"},
      {"runs-retention-days", "0"},
      {"database-url", "mysql://x"},
      {"database-url", "postgresql://h/w?nonsense=1"},
      {"database-url", "postgresql://a,b/w?target_session_attrs=read-write"},
      {"database-url", "postgresql://h/w?connect_timeout=x"},
      {"database-url", "postgresql://h/w?sslmode=foo"},
      {"database-url", "postgresql://h:port/w"},
      {"read-database-url", "postgresql://h/w?sslmode=foo"},
      {"read-database-url", "localhost"},
      {"read-database-url", "postgresql://a,b/w?target_session_attrs=primary"},
      {"smtp-url", "http://x"},
      {"public-url", "ftp://x"},
      {"public-url", "https://a.example/b?c"},
      {"public-url", "https://a.example/#b"},
      {"public-url", "https://user@a.example"},
      {"log-format", "xml"},
      {"log-level", "loud"},
      {"retry-schedule", "5x"},
      {"retry-schedule", "31d"},
      {"plans", "free=none"},
      {"plans", "free=1,free=2"},
      {"shopify-version", "2026-00"},
      {"shopify-version", "2026-13"},
      {"smtp-url", "smtp://u:p@h:0"},
      {"cors-origin", "https://a,,https://b"},
      {"cors-origin", "https://a,"},
      {"secret-key-file", "/a,,/b"},
      {"trusted-proxy", "proxy.example.com"},
      {"trusted-proxy", "10.0.0.0/33"},
      {"carrier-gateway", "karrio:5002"},
      {"carrier-gateway", "ftp://karrio:5002"},
      {"carrier-gateway", "http://user:password@karrio:5002"},
      {"carrier-gateway", "http://karrio:5002/?token=x"},
      {"allow-private-destinations", "maybe"}};
  for (const auto& [name, value] : bad) {
    EXPECT_TRUE(error_of({{name, {value}}}).starts_with("--" + std::string(name) + " "))
        << name << "=" << value;
  }
}

TEST(Config, AWrongValueOfAnyOptionIsRefusedInASentenceThatBeginsWithItsName) {
  const std::set<std::string_view> names_of_files{"pg-bin-dir", "ca-file", "mail-dir"};  // any text
  const std::map<std::string_view, std::string> wrong{{"data-dir", ""}, {"secret-key-file", "/a,,/b"}};
  for (const Option& option : options()) {
    if (names_of_files.contains(option.name)) continue;
    const auto value = wrong.find(option.name);
    const std::string message =
        error_of({{std::string(option.name), {value == wrong.end() ? "x" : value->second}}});
    EXPECT_TRUE(message.starts_with(option.flag() + " must ") ||
                message.starts_with(option.flag() + " is not valid: ") ||
                message == option.flag() + " is not a valid URL: \"x\"")
        << option.name << ": " << message;
  }
}

TEST(Config, UpUsesEveryOptionAndOtherCommandsAreKnown) {
  const std::set<std::string_view> known = {"api",  "worker", "migrate", "token",       "business",
                                            "demo", "key",    "doctor",  "console-link"};
  for (const Option& option : options()) {
    EXPECT_TRUE(option.is_used_by("up")) << option.name;
    EXPECT_FALSE(option.is_used_by("version")) << option.name;
    EXPECT_FALSE(option.commands.empty()) << option.name;
    for (const std::string_view command : option.commands) EXPECT_TRUE(known.contains(command)) << command;
  }
}

TEST(Config, ErrorsNeverRepeatAValue) {
  EXPECT_EQ(error_of({{"database-url", {"mysql://me:hunter2@host/db"}}}).find("hunter2"), std::string::npos);
  for (const std::string url : {"postgresql://me:hunter2/3@host/db", "postgresql://host/db?sslmode=hunter2",
                                "postgresql://host/db?connect_timeout=hunter2"}) {
    EXPECT_EQ(error_of({{"database-url", {url}}}).find("hunter2"), std::string::npos) << url;
  }
  EXPECT_EQ(error_of({}, {"WAYBILL_SMTP_URL=smpt://me:hunter2@host"}).find("hunter2"), std::string::npos);
  for (const std::string url : {"http://me:hunter2@karrio:1", "ftp://me:hunter2@karrio:1",
                                "http://k/?key=hunter2", "http://me@x/?hunter2", "//k#hunter2"}) {
    EXPECT_EQ(error_of({{"carrier-gateway", {url}}}).find("hunter2"), std::string::npos) << url;
    EXPECT_EQ(error_of({{"cors-origin", {url}}}).find("hunter2"), std::string::npos) << url;
  }
}

TEST(Config, OnlyAGivenMetricsAddressCountsAsChosen) {
  EXPECT_FALSE(read_config({}, {}).metrics_listen_chosen);
  EXPECT_TRUE(read_config({{"metrics-listen", {"127.0.0.1:9464"}}}, {}).metrics_listen_chosen);
  EXPECT_FALSE(read_config({{"metrics-listen", {"off"}}}, {}).serve_metrics);
}

}  // namespace
}  // namespace waybill::app
