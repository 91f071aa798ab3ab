#include <csignal>
#include <fstream>

#include <gtest/gtest.h>

#include "tests/harness/eventually.hpp"
#include "tests/harness/http.hpp"
#include "tests/harness/postgres.hpp"
#include "tests/harness/process.hpp"
#include "tests/harness/receiver.hpp"

namespace waybill::tests {
namespace {

TEST(Harness, ProcessReturnsLinesAsTheyArriveAndItsExitStatus) {
  Process process({"sh", "-c", "echo one; echo two >&2; read line; exit 7"}, {.standard_input = ""});
  EXPECT_EQ(process.wait_for_line("two"), "two");
  EXPECT_EQ(process.wait_for_line("one"), "one");
  EXPECT_EQ(process.wait_exit(), 7);
  EXPECT_EQ(process.wait_for_line("three", std::chrono::seconds(60)), std::nullopt);
}

TEST(Harness, KillTreeKillsTheChildren) {
  Process process({"sh", "-c", "tail -f /dev/null & echo $!; wait"});
  ASSERT_TRUE(eventually([&] { return process_tree(process.pid()).size() == 2; }));
  const pid_t child = process_tree(process.pid())[1];
  process.kill_tree();
  EXPECT_EQ(process.wait_exit(), 128 + SIGKILL);
  // The child has ended, though its new parent may take a while to reap it.
  EXPECT_TRUE(eventually([&] {
    std::string arguments;
    std::ifstream file("/proc/" + std::to_string(child) + "/cmdline");
    return !std::getline(file, arguments) || arguments.empty();
  }));
}

TEST(Harness, DirectoriesThatAKilledTestProgramLeftAreRemoved) {
  const TempDirectory own;
  Process killed({"sh", "-c", "echo $$"});
  const auto pid = killed.wait_for_line("");
  ASSERT_TRUE(pid);
  EXPECT_EQ(killed.wait_exit(), 0);
  const std::filesystem::path left = "/tmp/wb-" + *pid + "-abcdef";
  std::filesystem::create_directories(left / "data");
  remove_left_directories();
  EXPECT_FALSE(std::filesystem::exists(left));
  EXPECT_TRUE(std::filesystem::exists(own.path()));
}

TEST(Harness, ReceiverRecordsRequestsAndSendsScriptedReplies) {
  Receiver receiver;
  Http client("127.0.0.1", receiver.port());
  receiver.answer("/a", Reply::with_status(201, {{"X-One", "1"}}, R"({"data":{"list":[1,2]}})"));
  receiver.answer_next("/a", Reply::with_status(503));
  EXPECT_EQ(client.post("/a", {{"x", 1}}).status, 503);
  const Response second = client.post("/a?q=1", {{"x", 2}});
  EXPECT_EQ(second.status, 201);
  EXPECT_EQ(second.header("x-one"), "1");
  EXPECT_EQ(at(second.data(), "list.1"), 2);
  const auto received = receiver.wait_for("/a", 2);
  ASSERT_EQ(received.size(), 2U);
  EXPECT_EQ(received[1].json_body(), (json::value{{"x", 2}}));
  EXPECT_EQ(received[1].target, "/a?q=1");
  EXPECT_EQ(receiver.connections(), 1U);
  receiver.answer("/gone", Reply::of_kind(Reply::Kind::reset));
  EXPECT_EQ(client.post("/gone").status, 0);
  receiver.answer("/big", Reply::of_kind(Reply::Kind::flood));
  EXPECT_EQ(client.post("/big").text.size(), 10U * 1024 * 1024);
  const auto gate = std::make_shared<Gate>();
  receiver.answer("/gated", Reply::after(gate, 204));
  RawConnection raw = client.raw();
  ASSERT_TRUE(raw.send("POST /gated HTTP/1.1\r\nContent-Length: 0\r\n\r\n"));
  EXPECT_EQ(receiver.wait_for("/gated", 1).size(), 1U);
  gate->open();
  EXPECT_EQ(raw.read_response().status, 204);
}

TEST(Harness, DatabasesAreSeparateAndAreDropped) {
  std::string name;
  {
    TestDatabase one(TestDatabase::Content::empty);
    TestDatabase other(TestDatabase::Content::empty);
    name = one.name();
    one.exec("create table t (x int); insert into t values (1), (null)");
    EXPECT_EQ(one.value("select count(*) from t where x = $1", {"1"}), "1");
    EXPECT_EQ(one.rows("select x from t order by x")[1][0], std::nullopt);
    EXPECT_THROW(other.exec("select * from t"), std::runtime_error);
    one.terminate_connections();
    EXPECT_EQ(one.number("select count(*) from t"), 2);
  }
  EXPECT_EQ(postgres().admin().value("select count(*) from pg_database where datname = $1", {name}), "0");
}

}  // namespace
}  // namespace waybill::tests
