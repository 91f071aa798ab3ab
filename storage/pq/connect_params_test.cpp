#include "storage/pq/connect_params.hpp"

#include <gtest/gtest.h>

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
  EXPECT_EQ(host_count("postgresql://u@h/w"), 1U);
  EXPECT_EQ(host_count("postgresql:///w"), 1U);
}

TEST(ConnectParams, RefuseAUrlThatRequiresReadWriteSessions) {
  const auto fault = url_fault("postgresql://u@a,b/w?target_session_attrs=read-write");
  ASSERT_TRUE(fault);
  EXPECT_NE(fault->find("target_session_attrs=primary"), std::string::npos);
  EXPECT_TRUE(url_fault("postgresql://u@a/w?nonsense=1"));
  EXPECT_FALSE(url_fault("postgresql://u@a,b/w?target_session_attrs=any"));
  EXPECT_FALSE(url_fault(three));
}

}  // namespace
}  // namespace waybill::storage::pq
