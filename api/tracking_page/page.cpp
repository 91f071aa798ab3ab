#include "api/tracking_page/page.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "api/endpoint/static_file.hpp"
#include "api/http/language.hpp"
#include "api/tracking_page/contrast.hpp"
#include "api/tracking_page/countries.hpp"
#include "api/tracking_page/markup.hpp"
#include "api/tracking_page/presented.hpp"
#include "api/tracking_page/texts.hpp"
#include "base/crypto.hpp"
#include "base/embedded_file.hpp"

WAYBILL_EMBED(tracking_style, WAYBILL_TRACKING_STYLE)

namespace waybill::api {
namespace {

/// The style's backgrounds on which the business's color has the least contrast: --bg of light and --card of
/// dark.
constexpr Rgb light_background{0xf4, 0xf5, 0xf7};
constexpr Rgb dark_background{0x1a, 0x1e, 0x24};

/// Room for the end of the history: its closing tags and the sentence on older traces.
constexpr std::size_t history_end_bytes = 300;

/// A page with a few traces has no more.
constexpr std::size_t usual_page_bytes = 12UL * 1024;

std::string style_source(std::string_view style) { return "'sha256-" + base64(sha256(style)) + "'"; }

/// The style that sets the business's color; empty if it has none.
std::string brand_style(std::string_view color) {
  const auto brand = parse_color(color);
  if (!brand) return {};
  return ":root{--brand:" + color_text(*brand) +
         ";--accent:" + color_text(readable_on(*brand, light_background)) +
         "}@media screen and (prefers-color-scheme:dark){:root{--accent:" +
         color_text(readable_on(*brand, dark_background)) + "}}";
}

/// The page has only its own styles and the business's logo.
std::string content_policy(std::string_view brand, std::string_view logo_url) {
  static const std::string style = style_source(WAYBILL_EMBEDDED(tracking_style));
  std::string policy = "default-src 'none'; style-src " + style;
  if (!brand.empty()) policy += " " + style_source(brand);
  policy += "; img-src " + https_origin(logo_url).value_or("'none'");
  return policy += "; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
}

void add_header(Answer& answer, std::string_view name, std::string_view value) {
  answer.headers.append(name).append(": ").append(value).append("\r\n");
}

/// The headers of every answer. It is not stored: the address is a secret, a reload shows the newest status,
/// and no copy outlives the deletion of the shipment.
void add_common_headers(Answer& answer) {
  add_header(answer, "Cache-Control", "no-store");
  add_header(answer, "Referrer-Policy", "no-referrer");
  add_header(answer, "X-Robots-Tag", "noindex, nofollow");
  add_header(answer, no_sniffing.name, no_sniffing.value);
}

Answer page_answer(int status, Locale locale, Markup page, std::string_view policy) {
  Answer answer{.status = status, .data = std::move(page).html(), .media_type = html_type};
  add_common_headers(answer);
  add_header(answer, "Content-Language", locale.tag());
  add_header(answer, "Vary", "Accept-Language");
  add_header(answer, "Content-Security-Policy", policy);
  return answer;
}

Markup page_head(Locale locale, std::string_view title, const Markup& brand) {
  Markup out(usual_page_bytes);
  out.raw("<!doctype html>\n<html lang=\"").text(locale.tag());
  out.raw(
      "\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"robots\" content=\"noindex, nofollow\">\n"
      "<meta name=\"format-detection\" content=\"telephone=no\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
  out.text(title).raw("</title>\n<style>").trusted(WAYBILL_EMBEDDED(tracking_style)).raw("</style>\n");
  return std::move(out.add(brand).raw("</head>\n<body>\n"));
}

/// Renders a shipment in the language of one reader.
class Page {
 public:
  Page(const TrackedShipment& shipment, Locale locale)
      : shipment_(shipment),
        locale_(locale),
        offset_(common_offset(shipment)),
        out_(page_head(locale, title(), brand())) {}

  Markup render() && {
    add_header();
    out_.raw("<main>\n");
    add_summary();
    add_details();
    const auto end = footer();
    const auto taken = out_.size() + end.size();
    add_history(taken < max_tracking_page_bytes ? max_tracking_page_bytes - taken : 0);
    return std::move(out_.add(end));
  }

 private:
  static constexpr std::array<std::string_view, 5> way{"created", "collected", "in_transit",
                                                       "out_for_delivery", "delivered"};

  std::string_view translated(const Text& text) const { return text.in(locale_.language); }

  std::string_view status_name(std::string_view status) const {
    const auto* const known = status_texts(status);
    return known == nullptr ? status : translated(known->name);
  }

  /// The offset of all shown times; nullopt if the clocks changed between them.
  static std::optional<std::chrono::minutes> common_offset(const TrackedShipment& shipment) {
    const auto offset = shipment.created_at.utc_offset;
    const bool differs = (shipment.delivered_at && shipment.delivered_at->utc_offset != offset) ||
                         std::ranges::any_of(shipment.traces, [&](const auto& trace) {
                           return trace.at.utc_offset != offset;
                         });
    return differs ? std::nullopt : std::optional(offset);
  }

  std::string title() const {
    return std::string(status_name(shipment_.status)) + " · " + shipment_.tracking_number;
  }

  Markup brand() const {
    const auto style = brand_style(shipment_.color);
    Markup out;
    if (!style.empty()) out.raw("<style>").trusted(style).raw("</style>\n");
    return out;
  }

  void add_header() {
    out_.raw("<header>\n");
    if (shipment_.logo_url.empty()) {
      out_.raw("<p class=\"name\"><bdi>").text(shipment_.business).raw("</bdi></p>\n");
    } else {
      out_.raw("<p class=\"logo\"><img src=\"").text(shipment_.logo_url);
      out_.raw("\" alt=\"").text(shipment_.business).raw("\"></p>\n");
    }
    out_.raw("</header>\n");
  }

  /// Status, expected or actual delivery, and progress.
  void add_summary() {
    out_.raw("<section");
    if (is_halted()) out_.raw(" class=\"problem\"");
    out_.raw(" aria-labelledby=\"status\">\n<p class=\"muted\">").text(translated(texts::tracking_number));
    out_.raw(" <bdi>").text(shipment_.tracking_number).raw("</bdi></p>\n<h1 id=\"status\">");
    out_.text(status_name(shipment_.status)).raw("</h1>\n");
    if (const auto* const known = status_texts(shipment_.status)) {
      out_.raw("<p class=\"lead\">").text(translated(known->sentence)).raw("</p>\n");
    }
    add_delivery();
    add_progress();
    out_.raw("</section>\n");
  }

  bool is_halted() const { return !step_of(shipment_.status); }
  bool is_closed() const { return shipment_.status == "returned" || shipment_.status == "cancelled"; }

  void add_delivery() {
    if (shipment_.status == "delivered" && shipment_.delivered_at) {
      out_.raw("<dl class=\"when\"><dt>").text(translated(texts::delivered)).raw("</dt><dd>");
      add_moment(*shipment_.delivered_at);
      out_.raw("</dd></dl>\n");
    } else if (shipment_.status != "delivered" && !is_closed() && shipment_.estimated_delivery) {
      const auto& day = *shipment_.estimated_delivery;
      out_.raw("<dl class=\"when\"><dt>").text(translated(texts::estimated_delivery));
      out_.raw("</dt><dd><time datetime=\"").text(machine_date(day)).raw("\">");
      out_.text(date_text(locale_, day)).raw("</time></dd></dl>\n");
    }
  }

  static std::optional<std::size_t> step_of(std::string_view status) {
    const auto* const found = std::ranges::find(way, status);
    if (found == way.end()) return std::nullopt;
    return static_cast<std::size_t>(found - way.begin());
  }

  /// The farthest step that the shipment has reached, by its status or else its traces.
  std::size_t reached() const {
    if (const auto step = step_of(shipment_.status)) return *step;
    std::size_t farthest = shipment_.delivered_at ? way.size() - 1 : 0;
    for (const auto& trace : shipment_.traces)
      farthest = std::max(farthest, step_of(trace.status).value_or(0));
    return farthest;
  }

  /// The steps of the way. A shipment that was returned or cancelled has its past steps and then that status.
  void add_progress() {
    const std::size_t farthest = reached();
    const std::size_t past = is_closed() ? farthest + 1 : farthest;
    out_.raw("<ol class=\"steps\" role=\"list\" aria-label=\"")
        .text(translated(texts::progress))
        .raw("\">\n");
    for (std::size_t step = 0; step < past; ++step) add_past_step(way[step]);
    add_current_step(is_closed() ? std::string_view(shipment_.status) : way[farthest]);
    for (std::size_t step = past + 1; step < way.size() && !is_closed(); ++step) add_open_step(way[step]);
    out_.raw("</ol>\n");
  }

  void add_past_step(std::string_view status) {
    out_.raw("<li class=\"past\">");
    add_check_mark();
    out_.raw("<span>").text(status_name(status));
    out_.raw("<span class=\"vh\">, ").text(translated(texts::step_done)).raw("</span></span></li>\n");
  }

  void add_open_step(std::string_view status) {
    out_.raw("<li><span class=\"mark\"></span><span>").text(status_name(status));
    out_.raw("<span class=\"vh\">, ").text(translated(texts::step_open)).raw("</span></span></li>\n");
  }

  void add_current_step(std::string_view status) {
    out_.raw("<li class=\"now");
    if (is_halted()) {
      out_.raw(" halt\" aria-current=\"step\">");
      add_halt_mark();
    } else if (shipment_.status == "delivered") {
      out_.raw(" end\" aria-current=\"step\">");
      add_check_mark();
    } else {
      out_.raw("\" aria-current=\"step\"><span class=\"mark\"></span>");
    }
    out_.raw("<span>").text(status_name(status));
    if (is_halted() && !is_closed()) {
      out_.raw("<span class=\"vh\">, ").text(translated(texts::step_interrupted)).raw("</span>");
    }
    out_.raw("</span></li>\n");
  }

  /// A filled circle with a drawing of 20 by 20 units.
  template <std::size_t size>
  void add_mark(const char (&path)[size]) {  // NOLINT(modernize-avoid-c-arrays)
    out_.raw("<span class=\"mark\"><svg viewBox=\"0 0 20 20\" aria-hidden=\"true\"><path d=\"");
    out_.raw(path).raw("\"/></svg></span>");
  }
  void add_check_mark() { add_mark("m5.5 10.5 3 3 6-7"); }

  /// An arrow back, a cross or an exclamation mark.
  void add_halt_mark() {
    if (shipment_.status == "returned") {
      add_mark("M15 10H5m4-4-4 4 4 4");
    } else if (is_closed()) {
      add_mark("m6.5 6.5 7 7m0-7-7 7");
    } else {
      add_mark("M10 5v6m0 3.5v.1");
    }
  }

  void add_details() {
    out_.raw("<section aria-labelledby=\"details\">\n<h2 id=\"details\">").text(translated(texts::details));
    out_.raw("</h2>\n<dl class=\"facts\">\n");
    auto destination = shipment_.city;
    if (!destination.empty() && !shipment_.country.empty()) destination += ", ";
    destination += country_name(shipment_.country, locale_.language);
    add_fact(texts::destination, destination);
    add_fact(texts::carrier, shipment_.carrier);
    add_carrier_number();
    out_.raw("<div><dt>").text(translated(texts::created)).raw("</dt><dd>");
    add_moment(shipment_.created_at);
    out_.raw("</dd></div>\n</dl>\n</section>\n");
  }

  void add_fact(const Text& name, std::string_view value) {
    if (value.empty()) return;
    out_.raw("<div><dt>").text(translated(name)).raw("</dt><dd><bdi>").text(value).raw("</bdi></dd></div>\n");
  }

  void add_carrier_number() {
    if (shipment_.carrier_tracking_number.empty() && shipment_.carrier_tracking_url.empty()) return;
    out_.raw("<div><dt>").text(translated(texts::carrier_number)).raw("</dt><dd>");
    if (!shipment_.carrier_tracking_number.empty()) {
      out_.raw("<bdi>").text(shipment_.carrier_tracking_number).raw("</bdi><br>");
    }
    if (!shipment_.carrier_tracking_url.empty()) {
      out_.raw("<a href=\"").text(shipment_.carrier_tracking_url).raw("\" rel=\"noreferrer nofollow\">");
      out_.text(translated(texts::carrier_link)).raw("</a>");
    }
    out_.raw("</dd></div>\n");
  }

  /// Adds the newest traces that fit in `max_bytes`, by day.
  void add_history(std::size_t max_bytes) {
    const auto begin = out_.size();
    out_.raw("<section aria-labelledby=\"history\">\n<h2 id=\"history\">").text(translated(texts::history));
    out_.raw("</h2>\n");
    std::string day;
    std::size_t shown = 0;
    for (const auto& trace : shipment_.traces) {
      const auto end = out_.size();
      auto trace_day = machine_date(trace.at);
      if (trace_day != day) {
        if (!day.empty()) out_.raw("</ol>\n");
        out_.raw("<h3>").text(date_text(locale_, trace.at)).raw("</h3>\n<ol role=\"list\">\n");
      }
      add_trace(trace);
      if (out_.size() - begin + history_end_bytes > max_bytes) {
        out_.cut(end);
        break;
      }
      day = std::move(trace_day);
      ++shown;
    }
    if (!day.empty()) out_.raw("</ol>\n");
    const auto hidden = shipment_.older_traces + shipment_.traces.size() - shown;
    if (hidden > 0) {
      out_.raw("<p class=\"older muted\">").text(older_traces_text(locale_.language, hidden)).raw("</p>\n");
    } else if (shown == 0) {
      out_.raw("<p class=\"muted\">").text(translated(texts::no_traces)).raw("</p>\n");
    }
    out_.raw("</section>\n");
  }

  void add_trace(const TrackedTrace& trace) {
    const auto* const known = status_texts(trace.status);
    const auto name = status_name(trace.status);
    out_.raw("<li class=\"trace\"><time datetime=\"").text(machine_time(trace.at)).raw("\">");
    out_.text(time_text(locale_, trace.at)).text(offset_suffix(trace.at));
    out_.raw("</time><div><b>").text(name).raw("</b>");
    const bool says_more = !trace.description.empty() && trace.description != name &&
                           (known == nullptr || trace.description != known->default_description);
    if (says_more) out_.raw("<p><bdi>").text(trace.description).raw("</bdi></p>");
    if (!trace.location.empty()) out_.raw("<p class=\"muted\"><bdi>").text(trace.location).raw("</bdi></p>");
    out_.raw("</div></li>\n");
  }

  void add_moment(const ZonedTime& time) {
    out_.raw("<time datetime=\"").text(machine_time(time)).raw("\">");
    out_.text(moment_text(locale_, time)).text(offset_suffix(time)).raw("</time>");
  }

  /// Empty if the footer has the offset of all times.
  std::string offset_suffix(const ZonedTime& time) const {
    return offset_ ? std::string() : " (" + offset_text(time.utc_offset) + ")";
  }

  Markup footer() const {
    auto zone = shipment_.time_zone;
    std::ranges::replace(zone, '_', ' ');
    if (offset_ && zone != offset_text(*offset_)) zone += " (" + offset_text(*offset_) + ")";
    Markup out;
    out.raw("</main>\n<footer><p>").text(time_zone_text(locale_.language, zone));
    return std::move(out.raw("</p></footer>\n</body>\n</html>\n"));
  }

  const TrackedShipment& shipment_;
  Locale locale_;
  std::optional<std::chrono::minutes> offset_;
  Markup out_;
};

json::value or_null(std::string_view text) { return text.empty() ? json::value() : json::value(text); }

json::value or_null(const std::optional<ZonedTime>& time) {
  return time ? json::value(format_timestamp(time->at)) : json::value();
}

json::array traces_of(const TrackedShipment& shipment) {
  json::array traces;
  for (const auto& trace : shipment.traces) {
    traces.push_back({{"timestamp", format_timestamp(trace.at.at)},
                      {"status", trace.status},
                      {"description", trace.description},
                      {"location", or_null(trace.location)}});
  }
  return traces;
}

/// A page that has only a title and a sentence.
Answer page_of_sentence(int status, std::string_view accept_language, const Text& title,
                        const Text& sentence) {
  const auto locale = preferred_locale(accept_language);
  const auto heading = title.in(locale.language);
  Markup out = page_head(locale, heading, {});
  out.raw("<header><p class=\"name\">").text(texts::page.in(locale.language));
  out.raw("</p></header>\n<main>\n<section>\n<h1>").text(heading).raw("</h1>\n<p class=\"lead\">");
  out.text(sentence.in(locale.language));
  out.raw("</p>\n</section>\n</main>\n</body>\n</html>\n");
  return page_answer(status, locale, std::move(out), content_policy({}, {}));
}

}  // namespace

Answer tracking_page(TrackedShipment shipment, std::string_view accept_language) {
  const auto shown = presented(std::move(shipment));
  const auto locale = preferred_locale(accept_language);
  return page_answer(200, locale, Page(shown, locale).render(),
                     content_policy(brand_style(shown.color), shown.logo_url));
}

Answer tracking_json(TrackedShipment shipment) {
  const auto shown = presented(std::move(shipment));
  const json::object data{
      {"trackingNumber", shown.tracking_number},
      {"status", shown.status},
      {"carrier", shown.carrier.empty() ? json::value() : json::value{{"name", shown.carrier}}},
      {"carrierTrackingNumber", or_null(shown.carrier_tracking_number)},
      {"carrierTrackingUrl", or_null(shown.carrier_tracking_url)},
      {"estimatedDelivery", or_null(shown.estimated_delivery)},
      {"deliveredAt", or_null(shown.delivered_at)},
      {"createdAt", format_timestamp(shown.created_at.at)},
      {"destination", {{"city", or_null(shown.city)}, {"country", or_null(shown.country)}}},
      {"business",
       {{"name", shown.business},
        {"timezone", shown.time_zone},
        {"branding", {{"logoUrl", or_null(shown.logo_url)}, {"color", or_null(shown.color)}}}}},
      {"traces", traces_of(shown)},
      {"olderTraces", shown.older_traces},
  };
  Answer answer{.media_type = "application/json"};
  answer.data = R"({"data":)";
  append_json(answer.data, data);
  answer.data += R"(,"success":true})";
  add_common_headers(answer);
  return answer;
}

Answer tracking_page_not_found(std::string_view accept_language) {
  return page_of_sentence(404, accept_language, texts::not_found, texts::not_found_sentence);
}

Answer tracking_page_limited(std::string_view accept_language, std::chrono::seconds wait) {
  Answer answer = page_of_sentence(429, accept_language, texts::limited, texts::limited_sentence);
  add_header(answer, "Retry-After", std::to_string(wait.count()));
  return answer;
}

}  // namespace waybill::api
