#include "net/http/curl_transfer.hpp"

#include <string_view>
#include <sys/socket.h>
#include <unistd.h>

#include "base/database_clock.hpp"
#include "base/observe.hpp"
#include "net/destination/destination.hpp"

namespace waybill::net {
namespace {

constexpr long receive_buffer_bytes = 4096;  // answers are small, and each transfer in flight has one

}  // namespace

CurlTransfer::CurlTransfer(const Shared& shared) : shared_(shared) {
  const auto set = [this](CURLoption option, auto value) { curl_easy_setopt(easy(), option, value); };
  set(CURLOPT_PRIVATE, this);
  set(CURLOPT_NOSIGNAL, 1L);
  // A hanging name server must not stop the loop: its resolver thread is left behind and cleans up after
  // itself.
  set(CURLOPT_QUICK_EXIT, 1L);
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));
  set(CURLOPT_PROXY, "");  // ignores the environment's proxy
  set(CURLOPT_USERAGENT, shared_.user_agent.c_str());
  set(CURLOPT_BUFFERSIZE, receive_buffer_bytes);
  set(CURLOPT_ERRORBUFFER, error_text_.data());
  set(CURLOPT_HEADERFUNCTION, &header_callback);
  set(CURLOPT_HEADERDATA, &received_);
  set(CURLOPT_WRITEFUNCTION, &write_callback);
  set(CURLOPT_WRITEDATA, &received_);
  set(CURLOPT_OPENSOCKETFUNCTION, &open_socket_callback);
  set(CURLOPT_OPENSOCKETDATA, this);
  set(CURLOPT_PREREQFUNCTION, &request_callback);
  set(CURLOPT_PREREQDATA, this);
  if (shared_.only_connects) {
    set(CURLOPT_CONNECT_ONLY, 1L);
    set(CURLOPT_CLOSESOCKETFUNCTION, &close_unless_kept_callback);
    set(CURLOPT_CLOSESOCKETDATA, this);
  } else {
    set(CURLOPT_CLOSESOCKETFUNCTION, &close_socket_callback);
    set(CURLOPT_CLOSESOCKETDATA, &shared_.sockets);
  }
  // The certificates come only from the shared store.
  set(CURLOPT_CAINFO, nullptr);
  set(CURLOPT_CAPATH, nullptr);
  set(CURLOPT_SSL_CTX_FUNCTION, &ssl_context_callback);
  set(CURLOPT_SSL_CTX_DATA, &shared_.trust);
}

bool CurlTransfer::prepare(HttpRequest request, HttpClient::Done done) {
  request_ = std::move(request);
  done_ = std::move(done);
  received_.begin(request_.read_limit, request_.keep_limit);
  resending_ = {};
  addresses_ = AddressCheck(request_.guarded && !shared_.allow_private);
  started_at_ = database_clock().now();
  started_ = std::chrono::steady_clock::now();
  error_text_[0] = '\0';
  return !breaks_line(request_.url) && headers_.build(request_.headers) &&
         handle_.set_request(request_, headers_.list());
}

bool CurlTransfer::must_resend(CURLcode code) {
  const bool broken = code == CURLE_RECV_ERROR || code == CURLE_SEND_ERROR || code == CURLE_GOT_NOTHING;
  if (received_.has_begun() || !resending_.must_resend(broken && handle_.uses_kept_connection()))
    return false;
  handle_.use_fresh_connection();
  return true;
}

int CurlTransfer::on_request() {
  const bool may_send = resending_.may_send(resending_.has_sent() && handle_.uses_kept_connection());
  return may_send ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
}

HttpResponse CurlTransfer::finish(CURLcode code) {
  const bool answered = code == CURLE_OK || (code == CURLE_WRITE_ERROR && received_.body_is_cut());
  if (!answered) {
    // libcurl reports a single header of more than 100 KiB as out of memory.
    if (received_.headers_are_too_large() || (code == CURLE_OUT_OF_MEMORY && resending_.has_sent()))
      return failure(HttpFailure::protocol, headers_too_large);
    const HttpFailure kind = classify(code);
    if (kind == HttpFailure::refused_destination && addresses_.has_refused()) {
      const auto destination = parse_destination(request_.url);
      observe(Observable::destination_refused, {{"destination", destination ? destination->key() : ""}});
      return failure(kind, "The host resolves to an address or port that is not allowed as a destination.");
    }
    return failure(kind, error_text_[0] != '\0' ? error_text_.data() : curl_easy_strerror(code));
  }
  long status = 0;
  curl_easy_getinfo(easy(), CURLINFO_RESPONSE_CODE, &status);
  request_ = {};  // frees the body of an idle handle
  HttpResponse response = received_.take();
  response.status = static_cast<int>(status);
  set_times(response);
  return response;
}

HttpResponse CurlTransfer::refused() {
  return failure(HttpFailure::refused_destination, std::string(unsendable));
}

HttpResponse CurlTransfer::cancelled() {
  return failure(HttpFailure::cancelled, std::string(client_stopped));
}

void CurlTransfer::keep_socket() {
  curl_socket_t socket = CURL_SOCKET_BAD;
  if (curl_easy_getinfo(easy(), CURLINFO_ACTIVESOCKET, &socket) == CURLE_OK && socket != CURL_SOCKET_BAD)
    kept_socket_ = socket;
}

HttpResponse CurlTransfer::failure(HttpFailure failure, std::string error) {
  request_ = {};
  HttpResponse result;
  result.failure = failure;
  result.error = std::move(error);
  set_times(result);
  return result;
}

void CurlTransfer::set_times(HttpResponse& response) const {
  response.started_at = started_at_;
  response.duration = std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - started_);
}

HttpFailure CurlTransfer::classify(CURLcode code) const {
  switch (code) {
    case CURLE_URL_MALFORMAT:
      return HttpFailure::refused_destination;
    case CURLE_UNSUPPORTED_PROTOCOL: {  // the URL's protocol, or an answer that is not HTTP/1 or HTTP/2
      curl_off_t until_request = 0;
      curl_easy_getinfo(easy(), CURLINFO_PRETRANSFER_TIME_T, &until_request);
      return until_request > 0 ? HttpFailure::protocol : HttpFailure::refused_destination;
    }
    case CURLE_COULDNT_RESOLVE_HOST:
      return HttpFailure::dns;
    case CURLE_COULDNT_CONNECT:
      return addresses_.has_refused_all() ? HttpFailure::refused_destination : HttpFailure::connect;
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

curl_socket_t CurlTransfer::on_open_socket(const curl_sockaddr& address) {
  if (!addresses_.allows(address.addr)) return CURL_SOCKET_BAD;
  const int socket = ::socket(address.family, address.socktype | SOCK_CLOEXEC, address.protocol);
  if (socket >= 0) shared_.sockets.socket_opened(socket);
  return socket;
}

std::size_t CurlTransfer::header_callback(char* data, std::size_t size, std::size_t count, void* received) {
  const std::string_view line(data, size * count);
  return static_cast<ReceivedResponse*>(received)->add_line(line) ? line.size() : 0;
}

std::size_t CurlTransfer::write_callback(char* data, std::size_t size, std::size_t count, void* received) {
  const std::string_view piece(data, size * count);
  return static_cast<ReceivedResponse*>(received)->add_body(piece) ? piece.size() : 0;
}

curl_socket_t CurlTransfer::open_socket_callback(void* self, curlsocktype /*purpose*/,
                                                 curl_sockaddr* address) {
  return static_cast<CurlTransfer*>(self)->on_open_socket(*address);
}

int CurlTransfer::close_socket_callback(void* observer, curl_socket_t socket) {
  static_cast<SocketObserver*>(observer)->socket_closed(socket);
  return ::close(socket);
}

int CurlTransfer::close_unless_kept_callback(void* self, curl_socket_t socket) {
  auto& transfer = *static_cast<CurlTransfer*>(self);
  return socket == transfer.kept_socket_ ? 0 : close_socket_callback(&transfer.shared_.sockets, socket);
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
