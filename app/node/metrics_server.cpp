#include "app/node/metrics_server.hpp"

#include <string>
#include <string_view>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/system/system_error.hpp>

#include "app/node/operator_page.hpp"
#include "base/observe.hpp"

namespace waybill::app {
namespace {

class MetricsResponder : public api::Responder {
 public:
  MetricsResponder(const std::function<bool()>& is_alive, OperatorView& view)
      : is_alive_(is_alive), view_(view) {}

  boost::asio::awaitable<void> respond(const api::Request& request, api::RequestBody&,
                                       api::Response& response) override {
    const std::string_view path = request.target.substr(0, request.target.find('?'));
    const bool is_read = request.method == "GET" || request.method == "HEAD";
    response.content_type = "text/plain; version=0.0.4; charset=utf-8";
    if (path == "/metrics" && is_read) {
      response.body = metrics_text();
    } else if (path == "/healthz" && is_read) {
      const bool is_alive = is_alive_();
      if (!is_alive) response.status = http_status(ErrorCode::unavailable);
      response.body = is_alive ? "ok\n" : "an event loop hangs\n";
    } else if (path == "/operator" && is_read) {
      add_page_headers(response);
      response.content_type = "text/html; charset=utf-8";
      response.body = operator_page(co_await view_.read());
    } else if (path == "/operator.css" && is_read) {
      add_page_headers(response);
      response.content_type = "text/css; charset=utf-8";
      response.before = operator_style;
    } else {
      response.status = http_status(ErrorCode::not_found);
      response.body = "the metrics are at /metrics, the page for operators at /operator\n";
    }
  }

  void refuse(const Failure& failure, api::Response& response) override {
    response.status = http_status(failure.code());
    response.content_type = "text/plain";
    response.body = failure.message() + "\n";
  }

 private:
  /// The page has no scripts, and loads nothing but its style.
  static void add_page_headers(api::Response& response) {
    response.add_header("Content-Security-Policy",
                        "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; "
                        "frame-ancestors 'none'");
    response.add_header("X-Content-Type-Options", "nosniff");
    response.add_header("Referrer-Policy", "no-referrer");
    response.add_header("Cache-Control", "no-store");
  }

  const std::function<bool()> is_alive_;
  OperatorView& view_;
};

}  // namespace

std::unique_ptr<api::Server> make_metrics_server(const Config& config, const std::function<bool()>& is_alive,
                                                 OperatorView& view) {
  api::Server::Options options;
  options.host = config.metrics_listen.host;
  options.port = config.metrics_listen.port;
  options.threads = 1;
  options.kind = ThreadKind::metrics;
  options.limits.most_connections = 32;
  const auto make_responder = [&](boost::asio::io_context&) {
    return std::make_unique<MetricsResponder>(is_alive, view);
  };
  try {
    return std::make_unique<api::Server>(options, make_responder);
  } catch (const boost::system::system_error& error) {
    if (config.metrics_listen_chosen) {
      throw ConfigError("cannot listen on " + config.metrics_listen.text() +
                        " for --metrics-listen: " + error.code().message());
    }
  }
  options.port = 0;
  return std::make_unique<api::Server>(options, make_responder);
}

}  // namespace waybill::app
