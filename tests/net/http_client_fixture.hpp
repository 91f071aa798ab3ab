#pragma once

#include <cstdio>
#include <fstream>
#include <future>
#include <string>
#include <unistd.h>
#include <utility>

#include <gtest/gtest.h>

#include "net/http/http_client.hpp"
#include "tests/net/raw_server.hpp"

namespace waybill::net {

inline HttpClient::Options open_options() { return {.policy = {.allow_private = true}, .ca_file = {}}; }

inline HttpResponse exchange(HttpClient& client, HttpRequest request) {
  std::promise<HttpResponse> promise;
  auto future = promise.get_future();
  client.send(std::move(request), [&](HttpResponse response) { promise.set_value(std::move(response)); });
  return future.get();
}

inline HttpRequest post(std::string url, std::string body = "{}") {
  HttpRequest request;
  request.url = std::move(url);
  request.headers = {{"Content-Type", "application/json"}};
  request.body = std::move(body);
  return request;
}

inline HttpRequest with_timeout(HttpRequest request, Duration timeout) {
  request.total_timeout = timeout;
  return request;
}

inline tests::RawServer::Reply always_fine(const tests::RawServer::Request&) {
  return tests::RawServer::answer(200, "ok");
}

/// Returns the options of a client that trusts this certificate and the system's. Stores the path of its file
/// in `path`.
inline HttpClient::Options trusting(const tests::RawServer::Certificate& certificate, std::string& path) {
  path = ::testing::TempDir() + "waybill-ca-XXXXXX";
  close(mkstemp(path.data()));
  std::ofstream(path) << certificate.pem();
  auto options = open_options();
  options.ca_file = path;
  return options;
}

/// Requests without TLS and through it.
class HttpClientOfScheme : public testing::TestWithParam<std::string> {
 protected:
  /// Returns the server's certificate; null for `http:`.
  const tests::RawServer::Certificate* certificate() const {
    return GetParam() == "https" ? &certificate_ : nullptr;
  }
  /// Returns the options of a client that trusts it.
  HttpClient::Options options() {
    std::remove(path_.c_str());
    return trusting(certificate_, path_);
  }
  void TearDown() override { std::remove(path_.c_str()); }

 private:
  const tests::RawServer::Certificate certificate_;
  std::string path_;
};

}  // namespace waybill::net
