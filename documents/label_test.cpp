#include "documents/label.hpp"

#include <array>
#include <bit>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "documents/barcode.hpp"

namespace waybill::documents {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Returns the output of a shell command, both streams.
std::string output_of(const std::string& command) {
  auto* const pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error(command);
  std::string output;
  std::array<char, 4096> buffer{};
  while (const auto size = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    output.append(buffer.data(), size);
  }
  if (::pclose(pipe) != 0) throw std::runtime_error(command + ": " + output);
  return output;
}

/// Labels as other programs see them.
class LabelFile : public testing::Test {
 protected:
  LabelFile() { std::filesystem::create_directory(directory_); }
  ~LabelFile() override {
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }

  /// Returns the text, or the complaints of the program that reads it.
  std::string text_of(const Label& label) { return output_of("pdftotext -raw " + stored(label) + " -"); }

  /// Returns the black pixels as a PBM file at the resolution of common label printers.
  std::string image_of(const Label& label) {
    const auto image = directory_ / "label";
    output_of("pdftoppm -mono -r 203 -singlefile " + stored(label) + " " + image.string());
    std::ifstream file(image.string() + ".pbm", std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::string codes_of(const Label& label) {
    image_of(label);
    return output_of("zbarimg -q " + (directory_ / "label.pbm").string());
  }

  std::size_t ink_of(const Label& label) {
    std::size_t ink = 0;
    for (const char c : image_of(label))
      ink += static_cast<std::size_t>(std::popcount(static_cast<unsigned char>(c)));
    return ink;
  }

  std::string stored(const Label& label) {
    const auto file = directory_ / "label.pdf";
    std::ofstream(file, std::ios::binary) << render_label(label);
    return file.string();
  }

 private:
  std::filesystem::path directory_ =
      std::filesystem::temp_directory_path() / ("waybill-label-" + std::to_string(::getpid()));
};

Label label_of(const std::string& number) {
  return {.tracking_number = number,
          .sender = {.name = "Engines", .company = {}, .phone = {}, .address = {"Rua 1", "Lisbon"}},
          .recipient = {.name = "Łukasz", .company = {}, .phone = "1", .address = {}},
          .carrier = "UPS",
          .service_level = {},
          .packages = 1};
}

TEST(Label, TheSameLabelIsTheSamePdf) {
  const auto pdf = render_label(label_of("WB0000000001"));
  EXPECT_TRUE(pdf.starts_with("%PDF-"));
  EXPECT_EQ(render_label(label_of("WB0000000001")), pdf);
  EXPECT_NE(render_label(label_of("WB0000000002")), pdf);
}

TEST(Label, EmptyTextsAreLeftOut) {
  EXPECT_TRUE(render_label(
                  {.tracking_number = "1", .sender = {}, .recipient = {}, .carrier = {}, .service_level = {}})
                  .starts_with("%PDF-"));
}

TEST(Label, AnyThreadMayDraw) {
  const auto expected = render_label(label_of("WB0000000001"));
  std::vector<std::jthread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 5; ++n) EXPECT_EQ(render_label(label_of("WB0000000001")), expected);
    });
  }
}

TEST(Label, ANumberThatIsTooWideForThePageIsRefused) {
  EXPECT_NO_THROW(render_label(label_of(std::string(30, 'W'))));
  EXPECT_THROW(render_label(label_of(std::string(60, 'W'))), BarcodeError);
}

TEST_F(LabelFile, ShowsEverythingInItsOrder) {
  auto label = label_of("WB0000000001");
  label.recipient = {.name = "Ada Lovelace",
                     .company = "Analytical Ltd",
                     .phone = "+44 20 7946 0958",
                     .address = {"12 Park Road", "London N8 8AT", "UNITED KINGDOM"}};
  label.service_level = "Express";
  label.packages = 2;
  label.weight = "3.25 kg";
  label.order_number = "#1001";
  label.reference = "PO-77";
  label.carrier_tracking_number = "1Z999AA10123456784";
  const auto text = text_of(label);
  EXPECT_THAT(text, HasSubstr("Ada Lovelace\nAnalytical Ltd\nTel. +44 20 7946 0958\n12 Park Road\n"
                              "London N8 8AT\nUNITED KINGDOM\n"));
  EXPECT_THAT(text,
              HasSubstr("2 packages · 3.25 kg\nOrder #1001\nRef. PO-77\nCarrier no. 1Z999AA10123456784\n"));
  EXPECT_THAT(text, HasSubstr("UPS"));
  EXPECT_THAT(text, HasSubstr("Express"));
  EXPECT_THAT(text, Not(HasSubstr("TEST")));
}

TEST_F(LabelFile, EmptyTextsLeaveNoTrace) {
  EXPECT_EQ(text_of({.tracking_number = "WB0000000001"}), "TO\nWB0000000001\n\f");
}

TEST_F(LabelFile, TextReadsBackExactly) {
  auto label = label_of("WB0000000001");
  const std::vector<std::string> texts = {"Straße Größe",   "Łódź Żółć",  "café 5€",      "Þórður Ñandú",
                                          "Привет Ёлка",    "Ωμέγα Άννα", "Nguyễn Tuyết", "Škoda Nešić",
                                          "Київ їжак ґава", "東京 新宿区"};
  label.recipient = {
      .name = texts[0], .company = texts[1], .phone = {}, .address = {texts.begin() + 2, texts.end()}};
  std::string lines = "\nTO\n";
  for (const auto& text : texts) lines += text + "\n";
  const auto text = text_of(label);
  EXPECT_THAT(text, HasSubstr(lines));
  EXPECT_THAT(text, Not(HasSubstr("Warning")));
}

TEST_F(LabelFile, LettersHaveAllTheirStrokes) {
  const auto ink = [&](const std::string& text) {
    auto label = label_of("WB0000000001");
    label.recipient = {.name = text, .company = {}, .phone = {}, .address = {text}};
    return ink_of(label);
  };
  struct Pair {
    std::string accented;
    std::string plain;
  };
  const std::vector<Pair> pairs = {{"ЁЁ", "ЕЕ"}, {"її", "іі"}, {"ΆΆ", "ΑΑ"}, {"ếế", "ee"}, {"šš", "ss"}};
  for (const auto& [accented, plain] : pairs) EXPECT_GT(ink(accented), ink(plain)) << accented;
  EXPECT_GT(ink("東"), ink("")) << "a box";
  EXPECT_GT(ink("\U0001F600"), ink("")) << "the replacement character";
}

TEST_F(LabelFile, ATestLabelSaysSoAndIsScannable) {
  auto label = label_of("WB0000000001");
  const auto ink = ink_of(label);
  label.is_test = true;
  EXPECT_GT(ink_of(label), ink);
  const auto codes = codes_of(label);
  EXPECT_THAT(codes, HasSubstr("CODE-128:WB0000000001"));
  EXPECT_THAT(codes, HasSubstr("QR-Code:WB0000000001"));
}

/// A label whose texts have extreme lengths.
Label extreme_label() {
  const std::string wide(300, 'W');
  std::string words;
  for (int i = 0; i < 100; ++i) words += "word ";
  Party party{.name = wide, .company = words, .phone = wide, .address = {wide, words, wide, "GERMANY"}};
  return {.tracking_number = "WB0000000001",
          .sender = party,
          .recipient = party,
          .carrier = wide,
          .service_level = wide,
          .packages = 1'000'000'000,
          .weight = wide,
          .order_number = wide,
          .reference = words,
          .carrier_tracking_number = wide,
          .is_test = false};
}

TEST_F(LabelFile, LongTextsNeitherOverlapNorLeaveThePage) {
  struct Word {
    float left, top, right, bottom;
    std::string text;
  };
  std::vector<Word> words;
  std::istringstream lines(output_of("pdftotext -bbox " + stored(extreme_label()) + " -"));
  for (std::string line; std::getline(lines, line);) {
    Word word{};
    const bool is_word = std::sscanf(line.c_str(), " <word xMin=\"%f\" yMin=\"%f\" xMax=\"%f\" yMax=\"%f\"",
                                     &word.left, &word.top, &word.right, &word.bottom) == 4;
    word.text = line;
    if (is_word) words.push_back(word);
  }
  ASSERT_GT(words.size(), 50U);
  for (const auto& word : words) {
    EXPECT_GE(word.left, 14) << word.text;
    EXPECT_LE(word.right, 284) << word.text;
    EXPECT_GE(word.top, 10) << word.text;
    EXPECT_LE(word.bottom, 405) << word.text;
    for (const auto& other : words) {
      const bool apart = &word == &other || word.right <= other.left || other.right <= word.left ||
                         word.bottom <= other.top || other.bottom <= word.top;
      EXPECT_TRUE(apart) << word.text << "\n" << other.text;
    }
  }
}

TEST_F(LabelFile, LongTextsKeepTheirBeginningsAndTheCountry) {
  const auto text = text_of(extreme_label());
  EXPECT_THAT(text, HasSubstr("GERMANY"));
  EXPECT_THAT(text, HasSubstr("…"));
  auto label = label_of("WB0000000001");
  for (int i = 0; i < 40; ++i) label.recipient.address.push_back("line " + std::to_string(i));
  label.recipient.address.emplace_back("10115 Berlin");
  EXPECT_THAT(text_of(label), HasSubstr("\n10115 Berlin\n"));
}

}  // namespace
}  // namespace waybill::documents
