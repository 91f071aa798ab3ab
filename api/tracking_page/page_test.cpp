#include "api/tracking_page/page.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/http/language.hpp"
#include "api/tracking_page/contrast.hpp"
#include "base/crypto.hpp"
#include "base/json.hpp"
#include "domain/records/state_machines.hpp"

namespace waybill::api {
namespace {

using testing::HasSubstr;
using testing::Not;

ZonedTime zoned(std::string_view utc, int offset_minutes = 60) {
  return {parse_timestamp(utc).value(), std::chrono::minutes(offset_minutes)};
}

TrackedShipment example() {
  return {.tracking_number = "WB4711081551",
          .carrier = "Blue Post",
          .carrier_tracking_number = "00340434161094042557",
          .carrier_tracking_url = "https://post.example/track?number=00340434161094042557&lang=de",
          .status = "in_transit",
          .estimated_delivery = zoned("2026-11-24T11:00:00Z"),
          .created_at = zoned("2026-11-20T09:12:00Z"),
          .traces = {{.at = zoned("2026-11-23T19:55:00Z"),
                      .status = "in_transit",
                      .description = "Sorted at the parcel centre",
                      .location = "Leipzig"},
                     {.at = zoned("2026-11-20T09:12:00Z"),
                      .status = "created",
                      .description = "Shipment created",
                      .location = ""}},
          .city = "Berlin",
          .country = "Germany",
          .business = "North Light",
          .logo_url = "https://cdn.example.com/logo.png",
          .color = "#ffd400",
          .time_zone = "Europe/Berlin"};
}

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + part.size()))
    ++found;
  return found;
}

std::string header(const Answer& answer, const std::string& name) {
  const auto begin = answer.headers.find(name + ": ");
  if (begin == std::string::npos) return "";
  const auto value = begin + name.size() + 2;
  return answer.headers.substr(value, answer.headers.find("\r\n", value) - value);
}

std::vector<std::string> styles(const Answer& answer) {
  std::vector<std::string> result;
  std::string_view html = answer.data;
  for (auto at = html.find("<style>"); at != std::string_view::npos; at = html.find("<style>", at + 1)) {
    result.emplace_back(html.substr(at + 7, html.find("</style>", at) - at - 7));
  }
  return result;
}

/// The first tag that is not closed in the order of its opening; empty if the markup is well-formed.
std::string unbalanced(std::string_view html) {
  const std::set<std::string_view> empty_elements{"!doctype", "meta", "img", "br", "path"};
  std::vector<std::string> open;
  for (auto at = html.find('<'); at != std::string_view::npos; at = html.find('<', at + 1)) {
    const auto tag = html.substr(at + 1, html.find('>', at) - at - 1);
    if (tag.starts_with('/')) {
      if (open.empty() || open.back() != tag.substr(1)) return std::string(tag);
      open.pop_back();
    } else {
      const auto name = tag.substr(0, tag.find_first_of(" /"));
      if (!empty_elements.contains(name)) open.emplace_back(name);
    }
  }
  return open.empty() ? "" : open.back();
}

TEST(TrackingPage, ShowsTheFactsOfTheShipment) {
  const auto answer = tracking_page(example(), "en");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.media_type, "text/html; charset=utf-8");
  for (const std::string_view text :
       {"<html lang=\"en\">", "<title>In transit · WB4711081551</title>", "Your shipment is on its way.",
        "<time datetime=\"2026-11-24\">Tuesday 24 November 2026</time>", "Berlin, Germany", "Blue Post",
        "00340434161094042557", "href=\"https://post.example/track?number=00340434161094042557&amp;lang=de\"",
        "<time datetime=\"2026-11-23T20:55+01:00\">20:55</time>", "Sorted at the parcel centre", "Leipzig",
        "src=\"https://cdn.example.com/logo.png\" alt=\"North Light\"",
        "All times are in the time zone Europe/Berlin (UTC+1)."}) {
    EXPECT_THAT(answer.data, HasSubstr(text));
  }
  EXPECT_EQ(unbalanced(answer.data), "");
}

TEST(TrackingPage, IsNeitherStoredNorIndexedNorFramed) {
  for (const auto& answer : {tracking_page(example(), ""), tracking_page_not_found("")}) {
    EXPECT_EQ(header(answer, "Cache-Control"), "no-store");
    EXPECT_EQ(header(answer, "X-Robots-Tag"), "noindex, nofollow");
    EXPECT_EQ(header(answer, "Referrer-Policy"), "no-referrer");
    EXPECT_EQ(header(answer, "X-Content-Type-Options"), "nosniff");
    EXPECT_THAT(header(answer, "Content-Security-Policy"), HasSubstr("frame-ancestors 'none'"));
    EXPECT_THAT(answer.data, HasSubstr("<meta name=\"robots\" content=\"noindex, nofollow\">"));
    EXPECT_THAT(answer.data, Not(HasSubstr("<script")));
  }
}

TEST(TrackingPage, AllowsItsOwnStylesAndTheLogoOnly) {
  auto plain = example();
  plain.color.clear();
  plain.logo_url.clear();
  for (const auto& shipment : {example(), plain}) {
    const auto answer = tracking_page(shipment, "");
    std::string policy = "default-src 'none'; style-src";
    for (const auto& style : styles(answer))
      policy.append(" 'sha256-").append(base64(sha256(style))).append("'");
    policy.append("; img-src ").append(shipment.logo_url.empty() ? "'none'" : "https://cdn.example.com");
    policy.append("; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
    EXPECT_EQ(header(answer, "Content-Security-Policy"), policy);
    EXPECT_THAT(answer.data, Not(HasSubstr("style=\"")));
  }
  EXPECT_EQ(styles(tracking_page(plain, "")).size(), 1);
}

TEST(TrackingPage, IsInTheLanguageOfTheReader) {
  const std::array<std::string_view, 5> names{"In transit", "Unterwegs", "En transit", "En tránsito",
                                              "Em trânsito"};
  for (std::size_t i = 0; i < language_tags.size(); ++i) {
    const std::string tag(language_tags[i]);
    const auto answer = tracking_page(example(), tag);
    EXPECT_EQ(header(answer, "Content-Language"), tag);
    EXPECT_EQ(header(answer, "Vary"), "Accept-Language");
    EXPECT_THAT(answer.data, HasSubstr("<html lang=\"" + tag + "\">"));
    EXPECT_THAT(answer.data, HasSubstr("<h1 id=\"status\">" + std::string(names[i]) + "</h1>"));
  }
}

TEST(TrackingPage, NamesTheCountryOfACode) {
  auto shipment = example();
  shipment.country = "DE";
  EXPECT_THAT(tracking_page(shipment, "es").data, HasSubstr("<bdi>Berlin, Alemania</bdi>"));
  shipment.city.clear();
  EXPECT_THAT(tracking_page(shipment, "pt").data, HasSubstr("<bdi>Alemanha</bdi>"));
}

TEST(TrackingPage, EscapesEveryText) {
  const std::string hostile = "</style><script>alert(1)</script>\"'><img src=x onerror=alert(2)>{{x}}&lt;";
  auto shipment = example();
  for (auto* const text :
       {&shipment.tracking_number, &shipment.carrier, &shipment.carrier_tracking_number,
        &shipment.carrier_tracking_url, &shipment.status, &shipment.city, &shipment.country,
        &shipment.business, &shipment.logo_url, &shipment.color, &shipment.time_zone}) {
    *text = hostile;
  }
  for (auto& trace : shipment.traces) trace.status = trace.description = trace.location = hostile;
  const auto answer = tracking_page(shipment, "en");
  EXPECT_EQ(unbalanced(answer.data), "");
  for (const std::string_view markup : {"<script", "<img", "{{x}}&lt;", "=x onerror=alert(2)>"}) {
    EXPECT_THAT(answer.data, Not(HasSubstr(markup)));
  }
  EXPECT_THAT(answer.data, HasSubstr("&lt;/style&gt;&lt;script&gt;alert(1)&lt;/script&gt;&#34;&#39;&gt;"));
  EXPECT_EQ(styles(answer).size(), 1);
  // A logo's address can hold an apostrophe.
  shipment.logo_url = "https://cdn.example.com/a'b&c";
  EXPECT_THAT(tracking_page(shipment, "en").data, HasSubstr("src=\"https://cdn.example.com/a&#39;b&amp;c\""));
}

TEST(TrackingPage, StaysBelowItsLimitWithTheLongestTexts) {
  for (const std::string_view character : {"&", "\"", "😀", "W"}) {
    std::string longest;
    for (int i = 0; i < 300; ++i) longest += character;
    auto shipment = example();
    for (auto* const text : {&shipment.tracking_number, &shipment.carrier, &shipment.carrier_tracking_number,
                             &shipment.city, &shipment.country, &shipment.business, &shipment.time_zone}) {
      *text = longest;
    }
    shipment.carrier_tracking_url = "https://x.example/" + std::string(395, '&');
    shipment.logo_url = "https://x.example/" + std::string(395, '\'');
    shipment.traces.clear();
    for (int i = 0; i < 60; ++i) {
      auto at = zoned("2026-11-23T19:55:00Z", i);
      at.at -= std::chrono::days(i);
      shipment.traces.push_back(
          {.at = at, .status = "out_for_delivery", .description = longest, .location = longest});
    }
    for (const auto tag : language_tags) {
      for (const auto status : domain::shipment_states().states) {
        shipment.status = status;
        const auto answer = tracking_page(shipment, tag);
        EXPECT_LE(answer.data.size(), max_tracking_page_bytes);
        EXPECT_EQ(unbalanced(answer.data), "");
        EXPECT_THAT(answer.data, HasSubstr("</html>"));
        EXPECT_GE(count(answer.data, "<li class=\"trace\">"), 3);
      }
    }
  }
}

TEST(TrackingPage, CountsTheTracesThatItDoesNotShow) {
  auto shipment = example();
  shipment.older_traces = 4;
  EXPECT_THAT(tracking_page(shipment, "en").data, HasSubstr("<p class=\"older muted\">4 older updates"));
  shipment.traces.assign(80, {.at = zoned("2026-11-23T19:55:00Z"),
                              .status = "in_transit",
                              .description = std::string(200, 'W'),
                              .location = std::string(100, 'W')});
  const auto html = tracking_page(shipment, "en").data;
  const auto shown = count(html, "<li class=\"trace\">");
  EXPECT_GT(shown, 30);
  EXPECT_THAT(html, HasSubstr(std::to_string(84 - shown) + " older updates are not shown."));
}

TEST(TrackingPage, SaysThatThereAreNoTraces) {
  auto shipment = example();
  shipment.traces.clear();
  const auto answer = tracking_page(shipment, "de");
  EXPECT_THAT(answer.data, HasSubstr("Es liegen noch keine Meldungen vor."));
  EXPECT_EQ(unbalanced(answer.data), "");
}

TEST(TrackingPage, LeavesOutWhatIsUnknown) {
  TrackedShipment shipment{
      .tracking_number = "WB1", .status = "created", .created_at = zoned("2026-11-20T09:12:00Z", 0)};
  shipment.time_zone = "UTC";
  const auto answer = tracking_page(shipment, "en");
  for (const std::string_view name : {"Carrier", "Destination", "Estimated", "<a ", "<img"}) {
    EXPECT_THAT(answer.data, Not(HasSubstr(name)));
  }
  EXPECT_THAT(answer.data, HasSubstr("in the time zone UTC."));
  EXPECT_EQ(unbalanced(answer.data), "");
}

TEST(TrackingPage, ShowsHowFarTheShipmentIs) {
  const auto steps = [](std::string status, std::string farthest_trace) {
    auto shipment = example();
    shipment.status = std::move(status);
    shipment.traces[0].status = std::move(farthest_trace);
    const auto html = tracking_page(shipment, "en").data;
    EXPECT_EQ(count(html, "aria-current=\"step\""), 1);
    return std::array{count(html, "<li class=\"past\">"), count(html, "not yet reached")};
  };
  EXPECT_EQ(steps("created", "created"), (std::array<std::size_t, 2>{0, 4}));
  EXPECT_EQ(steps("collected", "collected"), (std::array<std::size_t, 2>{1, 3}));
  EXPECT_EQ(steps("in_transit", "in_transit"), (std::array<std::size_t, 2>{2, 2}));
  EXPECT_EQ(steps("out_for_delivery", "created"), (std::array<std::size_t, 2>{3, 1}));
  EXPECT_EQ(steps("delivered", "delivered"), (std::array<std::size_t, 2>{4, 0}));
  EXPECT_EQ(steps("exception", "out_for_delivery"), (std::array<std::size_t, 2>{3, 1}));
  EXPECT_EQ(steps("exception", "exception"), (std::array<std::size_t, 2>{0, 4}));
  EXPECT_EQ(steps("returned", "in_transit"), (std::array<std::size_t, 2>{3, 0}));
  EXPECT_EQ(steps("returned", "delivered"), (std::array<std::size_t, 2>{5, 0}));
  EXPECT_EQ(steps("cancelled", "created"), (std::array<std::size_t, 2>{1, 0}));
}

TEST(TrackingPage, ShowsTheTimeOfDeliveryInsteadOfTheEstimate) {
  auto shipment = example();
  shipment.status = "delivered";
  shipment.delivered_at = zoned("2026-11-24T10:14:00Z");
  const auto html = tracking_page(shipment, "de").data;
  EXPECT_THAT(html, HasSubstr("Zugestellt am"));
  EXPECT_THAT(html, HasSubstr("Dienstag, 24. November 2026, 11:14\u00a0Uhr"));
  EXPECT_THAT(html, Not(HasSubstr("Voraussichtliche")));
  shipment.status = "cancelled";
  EXPECT_THAT(tracking_page(shipment, "de").data, Not(HasSubstr("Voraussichtliche")));
}

TEST(TrackingPage, NamesTheOffsetOfEachTimeIfTheClocksChanged) {
  auto shipment = example();
  shipment.traces[1].at = zoned("2026-10-24T09:12:00Z", 120);
  const auto html = tracking_page(shipment, "en").data;
  EXPECT_THAT(html, HasSubstr(">20:55 (UTC+1)<"));
  EXPECT_THAT(html, HasSubstr(">11:12 (UTC+2)<"));
  EXPECT_THAT(html, HasSubstr("in the time zone Europe/Berlin."));
}

TEST(TrackingPage, DoesNotRepeatAStatusAsItsDescription) {
  const auto html = tracking_page(example(), "fr").data;
  EXPECT_THAT(html, Not(HasSubstr("Shipment created")));
  EXPECT_THAT(html, HasSubstr("Sorted at the parcel centre"));
}

TEST(TrackingPage, DarkensTheColorOfLinksUntilTheyAreReadable) {
  const auto style = styles(tracking_page(example(), "")).at(1);
  EXPECT_THAT(style, HasSubstr("--brand:#ffd400"));
  const auto accent = [&](std::size_t at) {
    return parse_color(style.substr(style.find("--accent:", at) + 9, 7));
  };
  const auto dark = style.find("prefers-color-scheme:dark");
  EXPECT_GE(contrast(accent(0).value(), parse_color("#ffffff").value()), text_contrast);
  EXPECT_GE(contrast(accent(0).value(), parse_color("#f4f5f7").value()), text_contrast);
  EXPECT_GE(contrast(accent(dark).value(), parse_color("#1a1e24").value()), text_contrast);
  EXPECT_GE(contrast(accent(dark).value(), parse_color("#101317").value()), text_contrast);
}

TEST(TrackingPage, HasTheBackgroundsForWhichColorsAreDarkened) {
  const auto style = styles(tracking_page(example(), "")).at(0);
  EXPECT_THAT(style, HasSubstr("{color-scheme:light dark;--bg:#f4f5f7;--card:#fff;"));
  EXPECT_THAT(style, HasSubstr("--bg:#101317;--card:#1a1e24;"));
}

TEST(TrackingPage, SaysInEachLanguageWhyNoShipmentIsShown) {
  std::set<std::string> pages;
  for (const auto tag : language_tags) {
    const auto limited = tracking_page_limited(tag, std::chrono::seconds(7));
    EXPECT_EQ(limited.status, 429);
    EXPECT_EQ(header(limited, "Retry-After"), "7");
    EXPECT_EQ(header(limited, "Content-Language"), tag);
    EXPECT_EQ(unbalanced(limited.data), "");
    pages.insert(limited.data);
    const auto answer = tracking_page_not_found(tag);
    EXPECT_EQ(answer.status, 404);
    EXPECT_EQ(header(answer, "Content-Language"), tag);
    EXPECT_EQ(header(answer, "Vary"), "Accept-Language");
    EXPECT_EQ(unbalanced(answer.data), "");
    pages.insert(answer.data);
  }
  EXPECT_EQ(pages.size(), 2 * language_tags.size());
}

TEST(TrackingJson, HasTheFactsOfThePageAndNothingElse) {
  const auto answer = tracking_json(example());
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.media_type, "application/json");
  EXPECT_EQ(header(answer, "Cache-Control"), "no-store");
  EXPECT_EQ(header(answer, "X-Robots-Tag"), "noindex, nofollow");
  EXPECT_EQ(
      answer.data,
      R"({"data":{"trackingNumber":"WB4711081551","status":"in_transit","carrier":{"name":"Blue Post"},)"
      R"("carrierTrackingNumber":"00340434161094042557",)"
      R"("carrierTrackingUrl":"https://post.example/track?number=00340434161094042557&lang=de",)"
      R"("estimatedDelivery":"2026-11-24T11:00:00.000Z","deliveredAt":null,)"
      R"("createdAt":"2026-11-20T09:12:00.000Z","destination":{"city":"Berlin","country":"Germany"},)"
      R"("business":{"name":"North Light","timezone":"Europe/Berlin",)"
      R"("branding":{"logoUrl":"https://cdn.example.com/logo.png","color":"#ffd400"}},)"
      R"("traces":[{"timestamp":"2026-11-23T19:55:00.000Z","status":"in_transit",)"
      R"("description":"Sorted at the parcel centre","location":"Leipzig"},)"
      R"({"timestamp":"2026-11-20T09:12:00.000Z","status":"created","description":"Shipment created",)"
      R"("location":null}],"olderTraces":0},"success":true})");
}

TEST(TrackingJson, HasNullForWhatIsUnknown) {
  const auto answer =
      tracking_json({.tracking_number = "WB1", .status = "created", .business = "North Light"});
  const auto parsed = std::get<json::value>(parse_json(answer.data));
  const auto& data = parsed.at("data").as_object();
  for (const std::string_view name :
       {"carrier", "carrierTrackingNumber", "carrierTrackingUrl", "estimatedDelivery", "deliveredAt"}) {
    EXPECT_TRUE(data.at(name).is_null()) << name;
  }
  EXPECT_TRUE(data.at("destination").at("city").is_null());
  EXPECT_TRUE(data.at("business").at("branding").at("logoUrl").is_null());
  EXPECT_TRUE(data.at("traces").as_array().empty());
}

}  // namespace
}  // namespace waybill::api
