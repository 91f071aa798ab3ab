#include "net/curl_transfer.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <sys/socket.h>
#include <unistd.h>

#include "base/ascii.hpp"

namespace waybill::net {
namespace {

constexpr std::size_t max_header_bytes = 64UL * 1024;
constexpr long receive_buffer_bytes = 4096;  // answers are small, and each transfer in flight has one

long to_ms(Duration duration) {
  return std::max<long>(1, std::chrono::duration_cast<std::chrono::milliseconds>(duration).count());
}

bool breaks_line(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
}

int port_of(const sockaddr& address) {
  // The port has the same offset for IPv4 and IPv6.
  sockaddr_in in{};
  std::memcpy(&in, &address, sizeof in);
  return ntohs(in.sin_port);
}

}  // namespace

CurlTransfer::CurlTransfer(const Shared& shared) : shared_(shared), easy_(curl_easy_init()) {
  if (easy_ == nullptr) throw std::bad_alloc();
  const auto set = [this](CURLoption option, auto value) { curl_easy_setopt(easy_, option, value); };
  set(CURLOPT_PRIVATE, this);
  set(CURLOPT_NOSIGNAL, 1L);
  // A hanging name server must not stop the loop: its resolver thread is left behind and cleans up itself.
  set(CURLOPT_QUICK_EXIT, 1L);
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));
  set(CURLOPT_PROXY, "");  // ignores the environment's proxy
  set(CURLOPT_USERAGENT, shared_.user_agent.c_str());
  set(CURLOPT_BUFFERSIZE, receive_buffer_bytes);
  set(CURLOPT_ERRORBUFFER, error_text_.data());
  set(CURLOPT_HEADERFUNCTION, &header_callback);
  set(CURLOPT_HEADERDATA, this);
  set(CURLOPT_WRITEFUNCTION, &write_callback);
  set(CURLOPT_WRITEDATA, this);
  set(CURLOPT_OPENSOCKETFUNCTION, &open_socket_callback);
  set(CURLOPT_OPENSOCKETDATA, this);
  set(CURLOPT_PREREQFUNCTION, &request_callback);
  set(CURLOPT_PREREQDATA, this);
  set(CURLOPT_CLOSESOCKETFUNCTION, &close_socket_callback);
  set(CURLOPT_CLOSESOCKETDATA, &shared_.sockets);
  // The certificates come only from the shared store.
  set(CURLOPT_CAINFO, nullptr);
  set(CURLOPT_CAPATH, nullptr);
  set(CURLOPT_SSL_CTX_FUNCTION, &ssl_context_callback);
  set(CURLOPT_SSL_CTX_DATA, &shared_.trust);
}

CurlTransfer::~CurlTransfer() { curl_easy_cleanup(easy_); }

bool CurlTransfer::prepare(HttpRequest request, HttpClient::Done done) {
  request_ = std::move(request);
  done_ = std::move(done);
  response_ = {};
  response_.started_at = system_clock().now();
  started_ = std::chrono::steady_clock::now();
  error_text_[0] = '\0';
  header_bytes_ = 0;
  body_bytes_ = 0;
  sent_ = 0;
  held_back_ = body_cut_ = headers_too_large_ = address_refused_ = address_tried_ = false;

  if (breaks_line(request_.url) || !build_headers(request_)) return false;
  if (url_ != request_.url) {
    url_ = request_.url;
    if (curl_easy_setopt(easy_, CURLOPT_URL, url_.c_str()) != CURLE_OK) return false;
    // The requests of a burst to a new HTTP/2 server wait for the first connection instead of opening one
    // each.
    curl_easy_setopt(easy_, CURLOPT_PIPEWAIT, url_.starts_with("https:") ? 1L : 0L);
  }
  set_method(request_);
  curl_easy_setopt(easy_, CURLOPT_FRESH_CONNECT, request_.fresh_connection ? 1L : 0L);
  curl_easy_setopt(easy_, CURLOPT_HTTPHEADER, header_nodes_.data());
  if (connect_timeout_ != request_.connect_timeout) {
    connect_timeout_ = request_.connect_timeout;
    curl_easy_setopt(easy_, CURLOPT_CONNECTTIMEOUT_MS, to_ms(connect_timeout_));
  }
  if (total_timeout_ != request_.total_timeout) {
    total_timeout_ = request_.total_timeout;
    curl_easy_setopt(easy_, CURLOPT_TIMEOUT_MS, to_ms(total_timeout_));
  }
  return true;
}

void CurlTransfer::set_method(const HttpRequest& request) {
  const std::string& method = request.method;
  const bool posts = method == "POST" || !request.body.empty();
  if (method_ != method || posts_ != posts) {
    const bool heads = !posts && method == "HEAD";
    curl_easy_setopt(easy_, CURLOPT_NOBODY, heads ? 1L : 0L);
    if (!posts && !heads) curl_easy_setopt(easy_, CURLOPT_HTTPGET, 1L);
    const bool implied = heads || method == (posts ? "POST" : "GET");
    curl_easy_setopt(easy_, CURLOPT_CUSTOMREQUEST, implied ? nullptr : method.c_str());
    method_ = method;
    posts_ = posts;
  }
  if (posts) {
    curl_easy_setopt(easy_, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    curl_easy_setopt(easy_, CURLOPT_POSTFIELDS, request.body.data());  // not copied
  }
}

bool CurlTransfer::build_headers(const HttpRequest& request) {
  header_text_.clear();
  header_starts_.clear();
  const auto add = [this](std::string_view name, std::string_view separator, std::string_view value) {
    header_starts_.push_back(header_text_.size());
    header_text_.append(name).append(separator).append(value).push_back('\0');
  };
  bool has_content_type = false;
  for (const auto& [name, value] : request.headers) {
    if (breaks_line(name) || breaks_line(value) || name.find_first_of(":;") != std::string::npos)
      return false;
    has_content_type = has_content_type || equal_ignoring_case(name, "content-type");
    // libcurl drops "Name:" and sends "Name;" as a header without a value.
    if (trimmed(value).empty()) {
      add(name, ";", {});
    } else {
      add(name, ": ", value);
    }
  }
  add("Expect", ":", {});  // never wait for 100 Continue
  if (!has_content_type) add("Content-Type", ":", {});
  header_nodes_.resize(header_starts_.size());
  for (std::size_t i = 0; i < header_nodes_.size(); ++i) {
    header_nodes_[i].data = header_text_.data() + header_starts_[i];
    header_nodes_[i].next = i + 1 < header_nodes_.size() ? &header_nodes_[i + 1] : nullptr;
  }
  return true;
}

bool CurlTransfer::lost_race(CURLcode code) {
  const bool broken = code == CURLE_RECV_ERROR || code == CURLE_SEND_ERROR || code == CURLE_GOT_NOTHING;
  const bool lost = held_back_ || (broken && uses_kept_connection());
  if (!lost || sent_ > 1 || header_bytes_ > 0) return false;
  held_back_ = false;
  curl_easy_setopt(easy_, CURLOPT_FRESH_CONNECT, 1L);
  return true;
}

bool CurlTransfer::uses_kept_connection() const {
  long new_connections = 0;
  curl_easy_getinfo(easy_, CURLINFO_NUM_CONNECTS, &new_connections);
  return new_connections == 0;
}

int CurlTransfer::on_request() {
  held_back_ = sent_ > 0 && uses_kept_connection();
  if (held_back_) return CURL_PREREQFUNC_ABORT;
  ++sent_;
  return CURL_PREREQFUNC_OK;
}

HttpResponse CurlTransfer::finish(CURLcode code) {
  const bool answered = code == CURLE_OK || (code == CURLE_WRITE_ERROR && body_cut_);
  if (!answered) {
    // libcurl reports a single header of more than 100 KiB as out of memory.
    if (code == CURLE_OUT_OF_MEMORY && sent_ > 0) headers_too_large_ = true;
    if (headers_too_large_) return failure(HttpFailure::protocol, "The headers of the answer exceed 64 KiB.");
    const HttpFailure kind = classify(code);
    if (kind == HttpFailure::refused_destination && address_refused_) {
      return failure(kind, "The host resolves to an address or port that is not allowed as a destination.");
    }
    return failure(kind, error_text_[0] != '\0' ? error_text_.data() : curl_easy_strerror(code));
  }
  long status = 0;
  curl_easy_getinfo(easy_, CURLINFO_RESPONSE_CODE, &status);
  response_.status = static_cast<int>(status);
  response_.duration = std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - started_);
  request_ = {};  // frees the body of an idle handle
  return std::move(response_);
}

HttpResponse CurlTransfer::refused() {
  return failure(HttpFailure::refused_destination, "The URL or a header cannot be sent.");
}

HttpResponse CurlTransfer::cancelled() { return failure(HttpFailure::cancelled, "The client was stopped."); }

HttpResponse CurlTransfer::failure(HttpFailure failure, std::string error) {
  request_ = {};
  HttpResponse result;
  result.failure = failure;
  result.error = std::move(error);
  result.started_at = response_.started_at;
  result.duration = std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - started_);
  return result;
}

HttpFailure CurlTransfer::classify(CURLcode code) const {
  switch (code) {
    case CURLE_URL_MALFORMAT:
      return HttpFailure::refused_destination;
    case CURLE_UNSUPPORTED_PROTOCOL: {  // the URL's protocol, or an answer that is not HTTP/1 or HTTP/2
      curl_off_t until_request = 0;
      curl_easy_getinfo(easy_, CURLINFO_PRETRANSFER_TIME_T, &until_request);
      return until_request > 0 ? HttpFailure::protocol : HttpFailure::refused_destination;
    }
    case CURLE_COULDNT_RESOLVE_HOST:
      return HttpFailure::dns;
    case CURLE_COULDNT_CONNECT:
      return address_refused_ && !address_tried_ ? HttpFailure::refused_destination : HttpFailure::connect;
    case CURLE_OPERATION_TIMEDOUT:
      return HttpFailure::timeout;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_ENGINE_NOTFOUND:
    case CURLE_SSL_ENGINE_SETFAILED:
    case CURLE_SSL_ENGINE_INITFAILED:
    case CURLE_SSL_SHUTDOWN_FAILED:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CRL_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
    case CURLE_SSL_INVALIDCERTSTATUS:
    case CURLE_SSL_CLIENTCERT:
      return HttpFailure::tls;
    default:
      return HttpFailure::protocol;
  }
}

std::size_t CurlTransfer::on_header(std::string_view line) {
  header_bytes_ += line.size();
  headers_too_large_ = header_bytes_ > max_header_bytes;
  if (headers_too_large_) return 0;
  if (line.starts_with("HTTP/")) {  // the final answer after a 1xx
    response_.headers.clear();
    return line.size();
  }
  const std::size_t colon = line.find(':');
  // Trailers (RFC 9110 section 6.5) follow the body and are not headers.
  if (colon == std::string_view::npos || body_bytes_ > 0) return line.size();
  if (response_.headers.capacity() == 0) response_.headers.reserve(8);
  response_.headers.emplace_back(ascii_lower(line.substr(0, colon)), trimmed(line.substr(colon + 1)));
  return line.size();
}

std::size_t CurlTransfer::on_body(std::string_view piece) {
  const std::size_t kept = std::min(request_.keep_limit, request_.read_limit);
  if (response_.body.size() < kept) response_.body += piece.substr(0, kept - response_.body.size());
  body_bytes_ += piece.size();
  body_cut_ = body_bytes_ > request_.read_limit;
  return body_cut_ ? 0 : piece.size();
}

curl_socket_t CurlTransfer::on_open_socket(const curl_sockaddr& address) {
  if (guarded() && !(is_public_address(address.addr) && is_public_port(port_of(address.addr)))) {
    address_refused_ = true;
    return CURL_SOCKET_BAD;
  }
  address_tried_ = true;
  const int socket = ::socket(address.family, address.socktype | SOCK_CLOEXEC, address.protocol);
  if (socket >= 0) shared_.sockets.socket_opened(socket);
  return socket;
}

std::size_t CurlTransfer::header_callback(char* data, std::size_t size, std::size_t count, void* self) {
  return static_cast<CurlTransfer*>(self)->on_header({data, size * count});
}

std::size_t CurlTransfer::write_callback(char* data, std::size_t size, std::size_t count, void* self) {
  return static_cast<CurlTransfer*>(self)->on_body({data, size * count});
}

curl_socket_t CurlTransfer::open_socket_callback(void* self, curlsocktype /*purpose*/,
                                                 curl_sockaddr* address) {
  return static_cast<CurlTransfer*>(self)->on_open_socket(*address);
}

int CurlTransfer::close_socket_callback(void* observer, curl_socket_t socket) {
  static_cast<SocketObserver*>(observer)->socket_closed(socket);
  return ::close(socket);
}

int CurlTransfer::request_callback(void* self, char* /*ip*/, char* /*local_ip*/, int /*port*/,
                                   int /*local_port*/) {
  return static_cast<CurlTransfer*>(self)->on_request();
}

CURLcode CurlTransfer::ssl_context_callback(CURL* /*easy*/, void* context, void* trust) {
  static_cast<const TrustStore*>(trust)->apply_to(static_cast<SSL_CTX*>(context));
  return CURLE_OK;
}

}  // namespace waybill::net
