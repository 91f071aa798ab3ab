// The memory of the process while clients of many addresses send or read slowly, and afterwards.
#include <algorithm>
#include <arpa/inet.h>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <netinet/in.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/harness/eventually.hpp"
#include "tests/harness/postgres.hpp"
#include "tests/harness/server.hpp"
#include "tests/workflows/fixtures/tenant.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t mebibyte = 1024UL * 1024;

/// A client of its own network, 127.0.0.NUMBER, that sends and never reads. Its buffers are small.
class SlowClient {
 public:
  SlowClient(int number, int port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const int size = 4096;
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
    const auto own = address(number, 0), server = address(1, port);
    if (::bind(socket_, as_generic(own), sizeof own) != 0 ||
        ::connect(socket_, as_generic(server), sizeof server) != 0)
      throw std::runtime_error("a client cannot connect");
  }
  ~SlowClient() {
    if (socket_ >= 0) ::close(socket_);
  }
  SlowClient(SlowClient&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}
  SlowClient& operator=(SlowClient&&) = delete;

  /// Sends as much as the server takes before it stops reading.
  void send(std::string_view bytes) const {
    timeval limit{.tv_sec = 1, .tv_usec = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    while (!bytes.empty()) {
      const auto sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
  }
  /// True if the server has begun to answer.
  bool has_answer() const {
    char byte = 0;
    return ::recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 1;
  }

 private:
  static sockaddr_in address(int number, int port) {
    sockaddr_in result{};
    result.sin_family = AF_INET;
    result.sin_port = htons(static_cast<std::uint16_t>(port));
    result.sin_addr.s_addr = htonl(0x7f000000U + static_cast<std::uint32_t>(number));
    return result;
  }
  static const sockaddr* as_generic(const sockaddr_in& address) {
    return reinterpret_cast<const sockaddr*>(&address);
  }

  int socket_;
};

class HeldMemory : public testing::Test {
 protected:
  static Waybill::Options options() {
    Waybill::Options chosen;
    chosen.arguments = {"--memory-limit", "256M"};
    return chosen;
  }

  std::int64_t resident_mebibytes() {
    std::ifstream statm("/proc/" + std::to_string(waybill.process().pid()) + "/statm");
    std::int64_t size = 0, resident = 0;
    statm >> size >> resident;
    return resident * ::sysconf(_SC_PAGESIZE) / static_cast<std::int64_t>(mebibyte);
  }

  /// Asks from an address that none of the slow clients has.
  void expect_health() {
    const auto begun = std::chrono::steady_clock::now();
    EXPECT_EQ(waybill.http().get("/healthz").status, 200);
    EXPECT_EQ(waybill.http().get("/readyz").status, 200);
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
    EXPECT_LT(std::chrono::steady_clock::now() - begun, 2s);
#endif
  }

  void expect_memory_returns(std::int64_t before) {
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
    EXPECT_TRUE(eventually([&] { return resident_mebibytes() < before + 25; }, 30s))
        << before << " MiB before, " << resident_mebibytes() << " MiB after";
#endif
  }

  /// Sanitizers have more memory for each allocation.
  void expect_growth_below(std::int64_t before, std::int64_t most) {
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
    EXPECT_LT(resident_mebibytes() - before, most);
#endif
  }

  TestDatabase database;
  Waybill waybill{database.url(), options()};
  std::vector<SlowClient> clients;
};

TEST_F(HeldMemory, UnreadFilesOfTheProgramFillNone) {
  ASSERT_EQ(waybill.http().get("/openapi.json").status, 200);
  const auto before = resident_mebibytes();
  // Five are more than what the kernel takes for one connection.
  std::string requests;
  for (int i = 0; i < 5; ++i)
    for (const std::string_view path : {"/openapi.json", "/docs/swagger-ui-bundle.js"})
      requests.append("GET ").append(path).append(" HTTP/1.1\r\nHost: x\r\n\r\n");
  for (int i = 0; i < 400; ++i) {
    clients.emplace_back(2 + i / 200, waybill.port());
    clients.back().send(requests);
  }
  EXPECT_TRUE(eventually([&] { return std::ranges::all_of(clients, &SlowClient::has_answer); }, 30s));
  expect_health();
  expect_growth_below(before, 25);
  clients.clear();
  expect_memory_returns(before);
}

TEST_F(HeldMemory, BodiesOfManyNetworksFillAtMostTheirPartOfTheLimitAndReturnIt) {
  Tenant tenant{waybill, "a business"};
  const std::int64_t before = resident_mebibytes();
  const std::string body =
      "POST /api/user/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
      "Content-Length: 1048576\r\n\r\n" +
      std::string(mebibyte - 1, ' ');
  for (int network = 2; network < 12; ++network) {
    for (int i = 0; i < 15; ++i) {
      clients.emplace_back(network, waybill.port());
      clients.back().send(body);
    }
  }
  // A quarter of the limit is 64 of the 150.
  EXPECT_TRUE(
      eventually([&] { return std::ranges::count_if(clients, &SlowClient::has_answer) >= 150 - 64; }));
  expect_health();
  EXPECT_EQ(tenant.http.get("/api/v1/Orders").status, 200);
  const std::string blanks(mebibyte / 2, ' ');
  EXPECT_EQ(tenant.http.request_text("POST", "/api/v1/Customers", R"({"name":"Ada")" + blanks + "}").status,
            201)
      << "businesses have the rest";
  expect_growth_below(before, 64 + 30);
  clients.clear();
  expect_memory_returns(before);
}

}  // namespace
}  // namespace waybill::tests
