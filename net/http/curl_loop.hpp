#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <curl/curl.h>

#include "net/http/curl_transfer.hpp"

namespace waybill::net {

/// Drives libcurl multi handles, and sockets with an owner of their own, from one epoll descriptor. A socket
/// stays registered while its connection idles in the cache, so that a request on a reused connection costs
/// no epoll_ctl. Belongs to one thread; only `wake` may be called from others.
class CurlLoop final : public CurlTransfer::SocketObserver {
 public:
  /// Handles the events of a socket that libcurl does not use.
  class SocketOwner {
   public:
    /// The socket is ready for some of the epoll events that it is to report, or broken. May close it.
    virtual void on_ready(std::uint32_t events) = 0;

   protected:
    ~SocketOwner() = default;
  };

  /// A multi handle with its own connections; transfers of two lanes never share one.
  class Lane {
   public:
    Lane(CurlLoop& loop, const HttpClient::Options& options);
    ~Lane();
    Lane(const Lane&) = delete;
    Lane& operator=(const Lane&) = delete;

    void add(CurlTransfer& transfer);
    void remove(CurlTransfer& transfer);

    /// Removes and returns a finished transfer and its result; null if there is none.
    std::pair<CurlTransfer*, CURLcode> take_finished();

   private:
    friend class CurlLoop;
    static int socket_callback(CURL* easy, curl_socket_t socket, int action, void* lane, void* unused);
    static int timer_callback(CURLM* multi, long timeout_ms, void* lane);

    CurlLoop& loop_;
    CURLM* multi_;
    std::optional<std::chrono::steady_clock::time_point> deadline_;
  };

  /// Throws std::system_error if the kernel provides no descriptors.
  CurlLoop();
  ~CurlLoop();
  CurlLoop(const CurlLoop&) = delete;
  CurlLoop& operator=(const CurlLoop&) = delete;

  /// Processes new transfers and expired timers. May finish transfers.
  void run_due(std::span<Lane* const> lanes);
  /// Processes ready sockets; if `may_wait`, first sleeps until a socket is ready, a timer is due or `until`.
  /// May finish transfers.
  void run_ready(std::span<Lane* const> lanes, bool may_wait,
                 std::optional<std::chrono::steady_clock::time_point> until);

  /// Reports to `owner` when the socket can be read, until `socket_closed`. `owner` must exist until then.
  void adopt(int socket, SocketOwner& owner);
  /// Sets the epoll events that an adopted socket reports.
  void report(int socket, std::uint32_t events);

  /// Ends the current or next wait. Any thread.
  void wake();

  void socket_opened(curl_socket_t socket) override;
  void socket_closed(curl_socket_t socket) override;

 private:
  struct Socket {
    SocketOwner* owner = nullptr;  // null for sockets that libcurl uses
    Lane* lane = nullptr;
    std::uint32_t registered = 0;  // epoll events that the kernel reports
    std::uint32_t wanted = 0;      // epoll events that libcurl waits for
    bool ours = false;             // opened by a transfer, whose closing is reported to socket_closed
  };

  Socket& socket(curl_socket_t fd);
  void watch(Lane& lane, curl_socket_t fd, int action);
  void set_registered(curl_socket_t fd, Socket& socket, std::uint32_t events);
  void on_event(curl_socket_t fd, std::uint32_t events);
  static int wait_ms(std::span<Lane* const> lanes,
                     std::optional<std::chrono::steady_clock::time_point> until);

  int epoll_;
  int wake_;
  std::vector<Socket> sockets_;  // by descriptor
};

}  // namespace waybill::net
