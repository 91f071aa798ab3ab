#include "storage/pq/connect_params.hpp"

#include <memory>

#include <gtest/gtest.h>
#include <libpq-fe.h>

namespace waybill::storage::pq {
namespace {

/// Returns the last value of a parameter, which is the one that libpq uses.
std::string last(const ConnectParams& params, std::string_view keyword) {
  std::string value = "none";
  for (std::size_t i = 0; params.keywords()[i] != nullptr; ++i) {
    if (params.keywords()[i] == keyword) value = params.values()[i];
  }
  return value;
}

std::size_t place(const ConnectParams& params, std::string_view keyword) {
  std::size_t i = 0;
  while (params.keywords()[i] != nullptr && params.keywords()[i] != keyword) ++i;
  return i;
}

constexpr const char* three = "postgresql://u@a:5001,b:5002,c:5003/w";

TEST(ConnectParams, AppendTheirSettingsToTheOptionsOfTheUrl) {
  const ConnectParams params("postgresql://u@h/w?options=-c%20work_mem%3D1MB", "test", "-c jit=off");
  const std::string options = last(params, "options");
  EXPECT_TRUE(options.starts_with("-c work_mem=1MB -c ")) << options;
  EXPECT_TRUE(options.ends_with(" -c jit=off")) << options;
}

TEST(ConnectParams, ConnectToThePrimaryUnlessTheUrlSaysOtherwise) {
  const ConnectParams params(three, "test", "");
  EXPECT_EQ(last(params, "target_session_attrs"), "primary");
  EXPECT_LT(place(params, "target_session_attrs"), place(params, "dbname"))
      << "later parameters, those of the URL, take precedence";
  EXPECT_LT(place(params, "tcp_user_timeout"), place(params, "dbname"));
}

TEST(ConnectParams, CanNameOneHostOfTheUrl) {
  EXPECT_EQ(host_count(three), 3U);
  EXPECT_EQ(last(ConnectParams(three, "test", ""), "host"), "none");
  const ConnectParams second(three, "test", "", 1);
  EXPECT_EQ(last(second, "host"), "b");
  EXPECT_EQ(last(second, "port"), "5002");
  const ConnectParams shared_port("postgresql:///w?host=/tmp/a,/tmp/b&port=6000", "test", "", 1);
  EXPECT_EQ(last(shared_port, "host"), "/tmp/b");
  EXPECT_EQ(last(shared_port, "port"), "none") << "the port of the URL applies";
  EXPECT_EQ(last(ConnectParams("postgresql://u@a,b,c/w", "test", "", 1), "port"), "5432")
      << "libpq reads the missing ports as a list of three";
  EXPECT_EQ(host_count("postgresql://u@h/w"), 1U);
  EXPECT_EQ(host_count("postgresql:///w"), 1U);
}

/// The last value of a parameter in a connection string, as libpq reads it.
std::string read_back(const std::string& conninfo, std::string_view keyword) {
  const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> options(
      PQconninfoParse(conninfo.c_str(), nullptr), PQconninfoFree);
  for (const auto* option = options.get(); option != nullptr && option->keyword != nullptr; ++option) {
    if (option->keyword == keyword && option->val != nullptr) return option->val;
  }
  return "none";
}

TEST(ConnectParams, ConnectionStringHasTheSameParameters) {
  const std::string text =
      conninfo("postgresql://u:it%27s%5C@a:5001,b:5002/w?keepalives_idle=9&options=-c%20work_mem%3D1MB",
               "test", "-c jit=off");
  EXPECT_EQ(read_back(text, "host"), "a,b");
  EXPECT_EQ(read_back(text, "port"), "5001,5002");
  EXPECT_EQ(read_back(text, "dbname"), "w");
  EXPECT_EQ(read_back(text, "password"), R"(it's\)");
  EXPECT_EQ(read_back(text, "target_session_attrs"), "primary");
  EXPECT_EQ(read_back(text, "keepalives_idle"), "9") << "the URL's own";
  EXPECT_EQ(read_back(text, "fallback_application_name"), "test");
  EXPECT_EQ(read_back(text, "client_encoding"), "UTF8");
  EXPECT_EQ(read_back(text, "connect_timeout"), "2");
  const std::string options = read_back(text, "options");
  EXPECT_TRUE(options.starts_with("-c work_mem=1MB -c ")) << options;
  EXPECT_TRUE(options.ends_with(" -c jit=off")) << options;
  EXPECT_EQ(read_back(conninfo("postgresql://u@a,b/w?target_session_attrs=any", "test", ""),
                      "target_session_attrs"),
            "any");
}

TEST(ConnectParams, ConnectionStringOfAServerLeadsToItAloneWhateverItsRole) {
  const std::string of_second =
      conninfo_of_server("postgresql://u:x@a:5001,b:5002/w?hostaddr=10.0.0.1,10.0.0.2&sslmode=verify-full",
                         "test", "-c jit=off", {.host = "b", .address = "10.0.0.2", .port = "5002"});
  EXPECT_EQ(read_back(of_second, "host"), "b") << "the name in the certificate";
  EXPECT_EQ(read_back(of_second, "hostaddr"), "10.0.0.2");
  EXPECT_EQ(read_back(of_second, "port"), "5002");
  EXPECT_EQ(read_back(of_second, "password"), "x");
  EXPECT_EQ(read_back(of_second, "sslmode"), "verify-full");
  EXPECT_EQ(read_back(of_second, "target_session_attrs"), "any");
  const std::string of_socket = conninfo_of_server("postgresql:///w?host=/tmp/a,/tmp/b", "test", "",
                                                   {.host = "/tmp/b", .address = "", .port = "5432"});
  EXPECT_EQ(read_back(of_socket, "host"), "/tmp/b");
  EXPECT_EQ(read_back(of_socket, "hostaddr"), "");
}

TEST(ConnectParams, UrlThatCannotBeReadIsItsOwnConnectionString) {
  EXPECT_EQ(conninfo("postgresql://u@a/w?nonsense=1", "test", ""), "postgresql://u@a/w?nonsense=1");
}

TEST(ConnectParams, RefuseAUrlThatRequiresReadWriteSessions) {
  const auto fault = url_fault("postgresql://u@a,b/w?target_session_attrs=read-write");
  ASSERT_TRUE(fault);
  EXPECT_NE(fault->find("target_session_attrs=primary"), std::string::npos);
  EXPECT_TRUE(url_fault("postgresql://u@a/w?nonsense=1"));
  EXPECT_FALSE(url_fault("postgresql://u@a,b/w?target_session_attrs=any"));
  EXPECT_FALSE(url_fault(three));
}

TEST(ConnectParams, RefuseAValueThatLibpqWouldRefuseWithEachConnection) {
  const auto expect_fault = [](const std::string& url, const std::string& fault) {
    EXPECT_EQ(url_fault(url), fault) << url;
    EXPECT_EQ(standby_url_fault(url), fault) << url;
  };
  for (const std::string option : {"connect_timeout", "keepalives", "keepalives_idle", "keepalives_interval",
                                   "keepalives_count", "tcp_user_timeout"}) {
    for (const std::string value : {"", "x", "1s", "1.5", "99999999999"}) {
      expect_fault(std::string("postgresql://u@a/w?").append(option).append("=").append(value),
                   std::string("has a value of ").append(option).append(" that is not an integer"));
    }
  }
  for (const std::string option :
       {"sslmode", "gssencmode", "channel_binding", "ssl_min_protocol_version", "target_session_attrs"}) {
    for (const std::string hosts : {"a", "a,b", ""}) {
      const auto fault =
          url_fault(std::string("postgresql://u@").append(hosts).append("/w?").append(option).append("=zzz"));
      ASSERT_TRUE(fault) << option;
      EXPECT_TRUE(fault->starts_with("has a value that libpq refuses: ")) << *fault;
      EXPECT_NE(fault->find(option), std::string::npos) << *fault;
      EXPECT_EQ(fault->find("zzz"), std::string::npos) << *fault;
    }
  }
  expect_fault("postgresql://u@a/w?target_session_attrs=primary,any",
               "has a value that libpq refuses: invalid target_session_attrs value: …");
}

TEST(ConnectParams, RefusePortsThatDoNotFitTheHostsAndDoNotShowThem) {
  for (const std::string port : {"secret", "0", "65536", "-1", "5001x"}) {
    EXPECT_EQ(url_fault("postgresql://u:" + port + "/s@a/w"),
              "has a port that is not an integer from 1 to 65535")
        << "the beginning of a password with a slash";
    EXPECT_EQ(url_fault("postgresql:///w?host=a,b&port=5001," + port),
              "has a port that is not an integer from 1 to 65535");
  }
  EXPECT_EQ(url_fault("postgresql:///w?host=a,b,c&port=5001,5002"),
            "has a different number of ports than hosts");
}

TEST(ConnectParams, AcceptValuesThatLibpqAccepts) {
  for (const std::string url :
       {"postgresql://u@a,b:5001,c/w", "postgresql:///w?host=/tmp/a,/tmp/b&port=6000", "postgresql:///w",
        "postgresql://u@a/w?connect_timeout=%205%20&keepalives=0&tcp_user_timeout=+2000",
        "postgresql://u@a/w?port=", "postgresql://u:p%2Fw@[::1]:5001/w?sslmode=disable",
        "postgresql://u@a,b/w?sslmode=prefer&channel_binding=disable&gssencmode=disable",
        "postgresql://u@a/w?hostaddr=127.0.0.1&options=-c%20work_mem%3D1MB&application_name=a,b"}) {
    EXPECT_EQ(url_fault(url), std::nullopt) << url;
    EXPECT_EQ(standby_url_fault(url), std::nullopt) << url;
  }
}

TEST(ConnectParams, EachStandbyIsOneServer) {
  const auto servers = standbys_of("postgresql://u:it%27s@a:5001,b/w?application_name=a,b");
  ASSERT_EQ(servers.size(), 2U);
  EXPECT_EQ(servers[0].name, "a:5001");
  EXPECT_EQ(servers[1].name, "b:5432");
  EXPECT_EQ(read_back(servers[0].connection, "host"), "a");
  EXPECT_EQ(read_back(servers[0].connection, "port"), "5001");
  EXPECT_EQ(read_back(servers[1].connection, "host"), "b");
  for (const auto& server : servers) {
    EXPECT_EQ(host_count(server.connection), 1U);
    EXPECT_EQ(read_back(server.connection, "password"), "it's");
    EXPECT_EQ(read_back(server.connection, "application_name"), "a,b");
    EXPECT_EQ(read_back(server.connection, "target_session_attrs"), "standby");
    EXPECT_EQ(server.name.find("it's"), std::string::npos);
  }
  EXPECT_EQ(read_back(standbys_of("postgresql://u@a/w?target_session_attrs=any")[0].connection,
                      "target_session_attrs"),
            "any");
  const auto shared_port = standbys_of("postgresql:///w?host=/tmp/a,/tmp/b&port=6000");
  ASSERT_EQ(shared_port.size(), 2U);
  EXPECT_EQ(shared_port[1].name, "/tmp/b:6000");
  EXPECT_EQ(read_back(shared_port[1].connection, "port"), "6000");
}

TEST(ConnectParams, TheHostsOfAUrlFollowTheFirst) {
  const std::string url = "postgresql://u:it%27s@a:5001,b,c:5003/w?application_name=a,b";
  EXPECT_EQ(beginning_with_host(url, 0), url);
  const std::string text = beginning_with_host(url, 1);
  EXPECT_EQ(read_back(text, "host"), "b,c,a");
  EXPECT_EQ(read_back(text, "port"), ",5003,5001");
  EXPECT_EQ(read_back(text, "password"), "it's");
  EXPECT_EQ(read_back(text, "application_name"), "a,b");
  const std::string shared_port = beginning_with_host("postgresql:///w?host=/tmp/a,/tmp/b&port=6000", 1);
  EXPECT_EQ(read_back(shared_port, "host"), "/tmp/b,/tmp/a");
  EXPECT_EQ(read_back(shared_port, "port"), "6000");
}

TEST(ConnectParams, TheHostOfASessionIsFoundInTheUrl) {
  const std::string url = "postgresql://u@a:5001,b,a:5003/w";
  EXPECT_EQ(host_of(url, "a", "5001"), 0U);
  EXPECT_EQ(host_of(url, "b", "5432"), 1U);
  EXPECT_EQ(host_of(url, "a", "5003"), 2U);
  EXPECT_EQ(host_of(url, "c", "5432"), std::nullopt);
  EXPECT_EQ(host_of("postgresql:///w?hostaddr=10.0.0.1,10.0.0.2", "10.0.0.2", "5432"), 1U);
  EXPECT_EQ(host_of("postgresql:///w?host=/tmp/a,/tmp/b&port=6000", "/tmp/b", "6000"), 1U);
}

TEST(ConnectParams, StandbyUrlsDoNotAskForThePrimary) {
  EXPECT_EQ(standby_url_fault(three), std::nullopt);
  EXPECT_EQ(standby_url_fault("postgresql://u@a/w?target_session_attrs=prefer-standby"), std::nullopt);
  for (const std::string target : {"primary", "read-write"}) {
    const auto fault = standby_url_fault("postgresql://u@a/w?target_session_attrs=" + target);
    ASSERT_TRUE(fault);
    EXPECT_NE(fault->find(target), std::string::npos);
  }
  EXPECT_TRUE(standby_url_fault("postgresql://u@a/w?nonsense=1"));
}

}  // namespace
}  // namespace waybill::storage::pq
