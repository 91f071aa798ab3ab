#include "net/http/curl_loop.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <system_error>
#include <unistd.h>

namespace waybill::net {
namespace {

using SteadyClock = std::chrono::steady_clock;

int checked(int descriptor, const char* call) {
  if (descriptor < 0) throw std::system_error(errno, std::generic_category(), call);
  return descriptor;
}

}  // namespace

CurlLoop::Lane::Lane(CurlLoop& loop, const HttpClient::Options& options)
    : loop_(loop), multi_(curl_multi_init()) {
  if (multi_ == nullptr) throw std::bad_alloc();
  const auto total = static_cast<long>(options.max_connections);
  curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, &socket_callback);
  curl_multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, &timer_callback);
  curl_multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_MAX_TOTAL_CONNECTIONS, total);
  curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, total);
  curl_multi_setopt(multi_, CURLMOPT_MAX_HOST_CONNECTIONS,
                    static_cast<long>(options.max_connections_per_host));
}

CurlLoop::Lane::~Lane() { curl_multi_cleanup(multi_); }

void CurlLoop::Lane::add(CurlTransfer& transfer) {
  transfer.active = true;
  curl_multi_add_handle(multi_, transfer.easy());
}

void CurlLoop::Lane::remove(CurlTransfer& transfer) {
  transfer.active = false;
  curl_multi_remove_handle(multi_, transfer.easy());
}

std::pair<CurlTransfer*, CURLcode> CurlLoop::Lane::take_finished() {
  int left = 0;
  while (const CURLMsg* const message = curl_multi_info_read(multi_, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    const CURLcode code = message->data.result;
    char* transfer = nullptr;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
    auto* const finished = reinterpret_cast<CurlTransfer*>(transfer);
    if (finished->only_connects() && code == CURLE_OK) finished->keep_socket();
    remove(*finished);
    return {finished, code};
  }
  return {nullptr, CURLE_OK};
}

int CurlLoop::Lane::socket_callback(CURL* /*easy*/, curl_socket_t fd, int action, void* lane,
                                    void* /*unused*/) {
  auto& self = *static_cast<Lane*>(lane);
  self.loop_.watch(self, fd, action);
  return 0;
}

int CurlLoop::Lane::timer_callback(CURLM* /*multi*/, long timeout_ms, void* lane) {
  auto& self = *static_cast<Lane*>(lane);
  self.deadline_.reset();
  if (timeout_ms >= 0) self.deadline_ = SteadyClock::now() + std::chrono::milliseconds(timeout_ms);
  return 0;
}

CurlLoop::CurlLoop()
    : epoll_(checked(epoll_create1(EPOLL_CLOEXEC), "epoll_create1")),
      wake_(checked(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")) {
  epoll_event event{.events = EPOLLIN, .data = {.fd = wake_}};
  checked(epoll_ctl(epoll_, EPOLL_CTL_ADD, wake_, &event), "epoll_ctl");
}

CurlLoop::~CurlLoop() {
  close(wake_);
  close(epoll_);
}

void CurlLoop::wake() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = write(wake_, &one, sizeof one);
}

void CurlLoop::run_ready(std::span<Lane* const> lanes, bool may_wait,
                         std::optional<SteadyClock::time_point> until) {
  std::array<epoll_event, 256> events{};
  const int count = epoll_wait(epoll_, events.data(), static_cast<int>(events.size()),
                               may_wait ? wait_ms(lanes, until) : 0);
  for (int i = 0; i < count; ++i) {
    const auto& event = events[static_cast<std::size_t>(i)];
    if (event.data.fd == wake_) {
      std::uint64_t ignored = 0;
      [[maybe_unused]] const auto got = read(wake_, &ignored, sizeof ignored);
    } else {
      on_event(event.data.fd, event.events);
    }
  }
}

void CurlLoop::run_due(std::span<Lane* const> lanes) {
  for (Lane* const lane : lanes) {
    if (!lane->deadline_ || *lane->deadline_ > SteadyClock::now()) continue;
    lane->deadline_.reset();
    int running = 0;
    curl_multi_socket_action(lane->multi_, CURL_SOCKET_TIMEOUT, 0, &running);
  }
}

int CurlLoop::wait_ms(std::span<Lane* const> lanes, std::optional<SteadyClock::time_point> until) {
  std::optional<SteadyClock::time_point> next = until;
  for (const Lane* const lane : lanes) {
    if (lane->deadline_) next = next ? std::min(*next, *lane->deadline_) : *lane->deadline_;
  }
  if (!next) return -1;
  const auto wait = std::chrono::ceil<std::chrono::milliseconds>(*next - SteadyClock::now()).count();
  return static_cast<int>(std::clamp<long>(wait, 0, 60'000));
}

void CurlLoop::on_event(curl_socket_t fd, std::uint32_t events) {
  Socket& ready = socket(fd);
  if (ready.owner != nullptr) return ready.owner->on_ready(events);
  // An earlier event of this round may have closed the socket.
  if (ready.lane == nullptr || ready.registered == 0) return;
  if (ready.wanted == 0) {
    // The other side closed an idle connection; libcurl notices when it next looks for a connection.
    set_registered(fd, ready, 0);
    return;
  }
  int flags = 0;
  if ((events & EPOLLIN) != 0) flags |= CURL_CSELECT_IN;
  if ((events & EPOLLOUT) != 0) flags |= CURL_CSELECT_OUT;
  if ((events & (EPOLLERR | EPOLLHUP)) != 0) flags |= CURL_CSELECT_ERR;
  int running = 0;
  curl_multi_socket_action(ready.lane->multi_, fd, flags, &running);
}

CurlLoop::Socket& CurlLoop::socket(curl_socket_t fd) {
  const auto index = static_cast<std::size_t>(fd);
  if (index >= sockets_.size()) sockets_.resize(std::max(index + 1, sockets_.size() * 2));
  return sockets_[index];
}

void CurlLoop::watch(Lane& lane, curl_socket_t fd, int action) {
  Socket& watched = socket(fd);
  watched.lane = &lane;
  watched.wanted = action == CURL_POLL_IN      ? EPOLLIN
                   : action == CURL_POLL_OUT   ? EPOLLOUT
                   : action == CURL_POLL_INOUT ? EPOLLIN | EPOLLOUT
                                               : 0;
  if (action != CURL_POLL_REMOVE) {
    set_registered(fd, watched, watched.wanted);
  } else if (!watched.ours || watched.registered != EPOLLIN) {
    set_registered(fd, watched, 0);
  }
}

void CurlLoop::set_registered(curl_socket_t fd, Socket& socket, std::uint32_t events) {
  if (socket.registered == events) return;
  const int operation = events == 0 ? EPOLL_CTL_DEL : socket.registered == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
  epoll_event event{.events = events, .data = {.fd = fd}};
  epoll_ctl(epoll_, operation, fd, &event);
  socket.registered = events;
}

void CurlLoop::adopt(int fd, SocketOwner& owner) {
  Socket& adopted = socket(fd);
  adopted.owner = &owner;
  set_registered(fd, adopted, EPOLLIN);
}

void CurlLoop::report(int fd, std::uint32_t events) { set_registered(fd, socket(fd), events); }

void CurlLoop::socket_opened(curl_socket_t fd) { socket(fd) = Socket{.ours = true}; }

void CurlLoop::socket_closed(curl_socket_t fd) {
  // The kernel removes a closed descriptor from epoll by itself.
  socket(fd) = Socket{};
}

}  // namespace waybill::net
