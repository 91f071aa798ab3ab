#include "net/http/http2_client.hpp"

#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include "tests/harness/process.hpp"
#include "tests/net/http_client_fixture.hpp"

namespace waybill::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using tests::RawServer;

/// Node's HTTP/2 server, and a client that trusts it.
class Http2 : public testing::Test {
 protected:
  void SetUp() override { start(most_streams); }
  ~Http2() override { std::remove(path_.c_str()); }

  void start(int streams) {
    std::ofstream(folder_ / "key.pem") << certificate_.key_pem();
    std::ofstream(folder_ / "certificate.pem") << certificate_.pem();
    server_ = std::make_unique<tests::Process>(
        std::vector<std::string>{"node", std::filesystem::path(__FILE__).parent_path() / "http2_server.mjs",
                                 folder_ / "key.pem", folder_ / "certificate.pem", std::to_string(streams)});
    const auto line = server_->wait_for_line("port ");
    ASSERT_TRUE(line) << server_->standard_error();
    url_ = "https://127.0.0.1:" + line->substr(5);
  }

  HttpRequest request(const std::string& path, std::string body = "{}") const {
    return post(url_ + path, std::move(body));
  }
  std::future<HttpResponse> begin(HttpRequest request) {
    auto promise = std::make_shared<std::promise<HttpResponse>>();
    auto future = promise->get_future();
    client_.send(std::move(request),
                 [promise](HttpResponse response) { promise->set_value(std::move(response)); });
    return future;
  }
  HttpResponse answer(const std::string& path) { return exchange(client_, request(path)); }
  /// The number of the connection that carried the answer.
  static std::string connection(const HttpResponse& response) {
    return std::string(response.header("x-connection").value_or(response.error));
  }

  static constexpr int most_streams = 100;

 private:
  const tests::TempDirectory folder_;
  const RawServer::Certificate certificate_;
  std::string path_;
  std::unique_ptr<tests::Process> server_;

 protected:
  std::string url_;
  HttpClient client_{trusting(certificate_, path_)};
};

TEST_F(Http2, RequestsShareTheConnectionThatShowedTheProtocol) {
  std::set<std::string> connections;
  for (int i = 0; i < 5; ++i) connections.insert(connection(answer("/echo")));
  EXPECT_EQ(connections, std::set<std::string>{"1"});
}

TEST_F(Http2, ARequestHasItsMethodHeadersAndBody) {
  HttpRequest sent = request("/echo/path?q=1", std::string(300'000, 'a'));
  sent.method = "PUT";
  sent.owner = "somebody";
  sent.headers = {{"X-Signature", "  t=1,v1=abc "}, {"Connection", "close"}, {"Content-Type", "text/plain"}};
  sent.keep_limit = 64UL * 1024;
  const HttpResponse response = exchange(client_, sent);
  ASSERT_EQ(response.status, 200) << response.error;
  const auto seen = boost::json::parse(response.body).as_object();
  EXPECT_EQ(seen.at("size"), 300'000);
  const auto header = [&](const char* name) {
    return boost::json::value_to<std::string>(seen.at("headers").at(name));
  };
  EXPECT_EQ(header(":method"), "PUT");
  EXPECT_EQ(header(":path"), "/echo/path?q=1");
  EXPECT_EQ(header(":authority"), url_.substr(8));
  EXPECT_EQ(header("x-signature"), "t=1,v1=abc");
  EXPECT_EQ(header("content-type"), "text/plain");
  EXPECT_EQ(header("content-length"), "300000");
  EXPECT_EQ(header("user-agent"), "waybill");
  EXPECT_EQ(header("accept"), "*/*");
  EXPECT_FALSE(seen.at("headers").as_object().contains("connection"));
}

TEST_F(Http2, AHeaderThatCannotBeSentIsRefused) {
  ASSERT_EQ(answer("/echo").status, 200);
  HttpRequest broken = request("/echo");
  broken.headers = {{"X-A", "one\r\nX-B: two"}};
  const HttpResponse response = exchange(client_, broken);
  EXPECT_EQ(response.failure, HttpFailure::refused_destination);
  EXPECT_EQ(response.error, unsendable);
  EXPECT_EQ(answer("/echo").status, 200);
}

TEST_F(Http2, ManyRequestsAreInFlightOnOneConnection) {
  ASSERT_EQ(answer("/echo").status, 200);
  std::vector<std::future<HttpResponse>> waiting;
  for (int i = 0; i < most_streams; ++i)
    waiting.push_back(begin(request("/hold/" + std::to_string(most_streams))));
  for (auto& each : waiting) {
    const HttpResponse response = each.get();
    EXPECT_EQ(response.body, "held");
    EXPECT_EQ(connection(response), "1");
  }
}

TEST_F(Http2, RequestsBeyondTheServersStreamsGetMoreConnectionsUpToTheLimit) {
  start(2);
  constexpr int most = 2 * static_cast<int>(Http2Client::max_connections_per_host);
  ASSERT_EQ(answer("/echo").status, 200);
  std::vector<std::future<HttpResponse>> waiting;
  // One more could never be held at the same time.
  for (int i = 0; i < most; ++i) waiting.push_back(begin(request("/hold/" + std::to_string(most))));
  std::set<std::string> connections;
  for (auto& each : waiting) connections.insert(connection(each.get()));
  EXPECT_EQ(connections.size(), Http2Client::max_connections_per_host);
  waiting.clear();
  connections.clear();
  for (int i = 0; i < 3 * most; ++i) waiting.push_back(begin(request("/echo")));
  for (auto& each : waiting) connections.insert(connection(each.get()));
  EXPECT_LE(connections.size(), Http2Client::max_connections_per_host);
}

TEST_F(Http2, AnAnswerOfSeveralHeadsHasTheLastOneWithoutTrailers) {
  const HttpResponse response = answer("/hints");
  EXPECT_EQ(response.status, 201);
  EXPECT_EQ(response.body, "body");
  EXPECT_FALSE(response.header("link"));
  EXPECT_FALSE(response.header("x-late"));
  EXPECT_EQ(response.header("x-connection"), "1");
}

TEST_F(Http2, ABodyIsCutAtItsLimitAndTheConnectionStays) {
  HttpRequest limited = request("/body/5000000");
  limited.read_limit = 1000;
  limited.keep_limit = 10;
  for (int i = 0; i < 3; ++i) {
    const HttpResponse response = exchange(client_, limited);
    EXPECT_EQ(response.status, 200) << response.error;
    EXPECT_EQ(response.body, "bbbbbbbbbb");
    EXPECT_EQ(connection(response), "1");
  }
  limited.read_limit = limited.keep_limit = 6'000'000;
  EXPECT_EQ(exchange(client_, limited).body.size(), 5'000'000U);
}

TEST_F(Http2, HeadersBeyondTheirLimitFailTheirRequestOnly) {
  EXPECT_EQ(answer("/headers/60000").status, 200);
  EXPECT_EQ(answer("/headers/70000").error, "The headers of the answer exceed 64 KiB.");
  EXPECT_EQ(connection(answer("/echo")), "1");
}

TEST_F(Http2, InterimHeadsCountToTheHeaders) {
  EXPECT_EQ(answer("/interim/100").status, 200);
  EXPECT_EQ(answer("/interim/6000").error, "The headers of the answer exceed 64 KiB.");
  EXPECT_EQ(answer("/echo").status, 200);
}

TEST_F(Http2, AnAnswerBeforeTheWholeRequestEndsIt) {
  std::string body;
  body.resize(20'000'000, 'a');
  const HttpResponse response = exchange(client_, request("/early", std::move(body)));
  EXPECT_EQ(response.status, 413) << response.error;
  EXPECT_EQ(connection(answer("/echo")), "1");
}

TEST_F(Http2, ARefusedRequestIsSentOnceMoreOnANewConnection) {
  ASSERT_EQ(connection(answer("/echo")), "1");
  const HttpResponse second = answer("/refuse_once");
  EXPECT_EQ(second.body, "at last") << second.error;
  EXPECT_EQ(connection(second), "2");
  const HttpResponse never = answer("/refuse");
  EXPECT_EQ(never.failure, HttpFailure::protocol);
  EXPECT_EQ(never.error, "The server refused the request (REFUSED_STREAM).");
}

TEST_F(Http2, ARequestThatALeavingServerDidNotProcessIsSentElsewhere) {
  ASSERT_EQ(connection(answer("/echo")), "1");
  const HttpResponse response = answer("/leave_once");
  EXPECT_EQ(response.body, "elsewhere") << response.error;
  EXPECT_EQ(connection(response), "2");
}

TEST_F(Http2, AConnectionThatTheServerClosesIsReplaced) {
  EXPECT_EQ(connection(answer("/close_after")), "1");
  EXPECT_EQ(connection(answer("/close_after")), "2");
  EXPECT_EQ(connection(answer("/echo")), "3");
}

TEST_F(Http2, ARequestIsSentAgainOnlyIfItsConnectionHasAnsweredBefore) {
  EXPECT_EQ(answer("/break").failure, HttpFailure::protocol);
  ASSERT_EQ(connection(answer("/echo")), "2");
  const HttpResponse again = answer("/break_once");
  EXPECT_EQ(again.body, "again") << again.error;
  EXPECT_EQ(connection(again), "3");
  EXPECT_EQ(answer("/break").failure, HttpFailure::protocol) << "not a third time";
  HttpRequest only_once = request("/break_once/fresh");
  only_once.fresh_connection = true;
  ASSERT_EQ(answer("/echo").status, 200);
  EXPECT_EQ(exchange(client_, only_once).failure, HttpFailure::protocol);
}

TEST_F(Http2, AnAnswerThatHasBegunIsNotAskedForAgain) {
  ASSERT_EQ(answer("/echo").status, 200);
  EXPECT_EQ(answer("/half").failure, HttpFailure::protocol);
}

TEST_F(Http2, AnAnswerThatBreaksTheProtocolFailsAtOnceAndAlone) {
  auto held = begin(request("/hold/2"));
  const HttpResponse response = answer("/mismatch");
  EXPECT_EQ(response.failure, HttpFailure::protocol);
  EXPECT_LT(response.duration, seconds(5));
  EXPECT_EQ(answer("/hold/2").body, "held");
  EXPECT_EQ(held.get().body, "held");
}

TEST_F(Http2, AResetStreamIsAFailureThatNamesItsCode) {
  ASSERT_EQ(answer("/echo").status, 200);
  const HttpResponse response = answer("/reset");
  EXPECT_EQ(response.failure, HttpFailure::protocol);
  EXPECT_EQ(response.error, "The server ended the request without an answer: INTERNAL_ERROR.");
  EXPECT_EQ(connection(answer("/echo")), "1");
}

TEST_F(Http2, AfterATimeoutOnASilentConnectionAnotherOneIsUsed) {
  ASSERT_EQ(connection(answer("/echo")), "1");
  const HttpResponse response = exchange(client_, with_timeout(request("/silent"), milliseconds(200)));
  EXPECT_EQ(response.failure, HttpFailure::timeout);
  EXPECT_EQ(response.error, "There was no complete answer within 200 ms.");
  EXPECT_LT(response.duration, seconds(10));
  EXPECT_EQ(connection(answer("/echo")), "2");
}

TEST_F(Http2, ATimeoutDoesNotHarmOtherRequestsOfTheConnection) {
  ASSERT_EQ(answer("/echo").status, 200);
  auto held = begin(request("/hold/2"));
  ASSERT_EQ(exchange(client_, with_timeout(request("/silent"), milliseconds(100))).failure,
            HttpFailure::timeout);
  ASSERT_EQ(answer("/echo").status, 200);
  EXPECT_EQ(answer("/hold/2").body, "held");
  EXPECT_EQ(held.get().body, "held");
}

TEST_F(Http2, StopCancelsWhatIsInFlightAndWhatWaits) {
  start(1);
  std::vector<std::future<HttpResponse>> waiting;
  for (int i = 0; i < 20; ++i) waiting.push_back(begin(request("/silent")));
  ASSERT_EQ(exchange(client_, with_timeout(request("/silent"), milliseconds(50))).failure,
            HttpFailure::timeout);
  client_.stop({});
  for (auto& each : waiting) EXPECT_EQ(each.get().failure, HttpFailure::cancelled);
}

TEST_F(Http2, OwnersShareAConnectionButGuardedRequestsDoNot) {
  for (const auto* const owner : {"a", "b"}) {
    HttpRequest owned = request("/echo");
    owned.owner = owner;
    EXPECT_EQ(connection(exchange(client_, owned)), "1");
  }
  HttpRequest unguarded = request("/echo");
  unguarded.guarded = false;
  EXPECT_EQ(connection(exchange(client_, unguarded)), "2");
}

}  // namespace
}  // namespace waybill::net
