#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <curl/curl.h>

#include "net/curl_transfer.hpp"

namespace waybill::net {

/// Drives libcurl multi handles from one epoll descriptor. A socket stays registered while its connection
/// idles in the cache, so that a request on a reused connection costs no epoll_ctl. Belongs to one thread;
/// only `wake` may be called from others.
class CurlLoop final : public CurlTransfer::SocketObserver {
 public:
  /// Keeps connections of its own: transfers of two lanes never share one.
  class Lane {
   public:
    Lane(CurlLoop& loop, const HttpClient::Options& options);
    ~Lane();
    Lane(const Lane&) = delete;
    Lane& operator=(const Lane&) = delete;

    void add(CurlTransfer& transfer);
    void remove(CurlTransfer& transfer);

    /// A transfer that ended, already removed, with how it did; null when there is none.
    std::pair<CurlTransfer*, CURLcode> take_finished();

   private:
    friend class CurlLoop;
    static int socket_callback(CURL* easy, curl_socket_t socket, int what, void* lane, void* unused);
    static int timer_callback(CURLM* multi, long timeout_ms, void* lane);

    CurlLoop& loop_;
    CURLM* multi_;
    std::optional<std::chrono::steady_clock::time_point> deadline_;
  };

  /// Throws std::system_error when the kernel gives no descriptors.
  CurlLoop();
  ~CurlLoop();
  CurlLoop(const CurlLoop&) = delete;
  CurlLoop& operator=(const CurlLoop&) = delete;

  /// Runs what was added and what is due. May finish transfers.
  void run_due(std::span<Lane* const> lanes);
  /// Runs what became ready; when `may_wait`, sleeps until something does or is due. May finish transfers.
  void run_ready(std::span<Lane* const> lanes, bool may_wait);

  /// Ends the present or next wait. Any thread.
  void wake();

  void socket_opened(curl_socket_t socket) override;
  void socket_closed(curl_socket_t socket) override;

 private:
  struct Socket {
    Lane* lane = nullptr;
    std::uint32_t registered = 0;  // epoll events the kernel reports
    std::uint32_t wanted = 0;      // epoll events libcurl waits for
    bool ours = false;             // opened by a transfer, so that its closing is told
  };

  Socket& socket(curl_socket_t fd);
  void watch(Lane& lane, curl_socket_t fd, int what);
  void set_registered(curl_socket_t fd, Socket& socket, std::uint32_t events);
  void on_event(curl_socket_t fd, std::uint32_t events);
  int wait_ms(std::span<Lane* const> lanes) const;

  int epoll_;
  int wake_;
  std::vector<Socket> sockets_;  // by descriptor
};

}  // namespace waybill::net
