#include "documents/label.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "documents/barcode.hpp"
#include "documents/command_test.hpp"

namespace waybill::documents {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Labels as other programs see them.
class PrintedLabel : public testing::Test {
 protected:
  PrintedLabel() { std::filesystem::create_directory(directory_); }
  ~PrintedLabel() override {
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

TEST_F(PrintedLabel, ShowsEverythingInItsOrder) {
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

TEST_F(PrintedLabel, EmptyTextsLeaveNoTrace) {
  EXPECT_EQ(text_of({.tracking_number = "WB0000000001"}), "TO\nWB0000000001\n\f");
}

/// A name and the lines of an address in a country's language.
struct Place {
  std::string country;
  std::vector<std::string> lines;
};

const std::vector<Place>& places() {
  static const std::vector<Place> all = {
      {"AM", {"Արամ Խաչատրյան", "Մաշտոցի պողոտա 12", "Երևան"}},
      {"BD", {"রবীন্দ্রনাথ ঠাকুর", "ধানমন্ডি ৩২", "ঢাকা"}},
      {"CN", {"王小明", "北京市朝阳区建国路88号", "朝阳区"}},
      {"DE", {"Jürgen Groß", "Größe Straße 5", "Łódź €"}},
      {"EG", {"أحمد عبد الله", "شارع التحرير", "القاهرة"}},
      {"ET", {"አበበ ቢቂላ", "ቦሌ መንገድ", "አዲስ አበባ"}},
      {"GE", {"ნინო ბერიძე", "რუსთაველის გამზირი", "თბილისი"}},
      {"GR", {"Γεώργιος Παπαδόπουλος", "Οδός Ερμού 15", "Αθήνα"}},
      {"HK", {"陳大文", "九龍彌敦道", "香港"}},
      {"IL", {"דוד כהן", "רחוב הרצל", "תל אביב"}},
      {"IN", {"विद्या क्षत्रिय", "महात्मा गांधी मार्ग", "नई दिल्ली"}},
      {"IR", {"زهرا محمدی", "خیابان ولیعصر", "تهران"}},
      {"JP", {"山田太郎", "東京都新宿区西新宿", "さくらマンション"}},
      {"KR", {"김철수", "서울특별시 강남구 테헤란로", "역삼동"}},
      {"LA", {"ສົມສັກ", "ຖະໜົນລ້ານຊ້າງ", "ວຽງຈັນ"}},
      {"RU", {"Пётр Щёголев", "улица Ленина 1", "Київ їжак"}},
      {"TH", {"สมชาย ใจดี", "ถนนสุขุมวิท", "กรุงเทพมหานคร"}},
      {"TW", {"林志玲", "臺北市信義區", "臺灣"}},
      {"VN", {"Nguyễn Thị Tuyết", "Đường Lê Lợi", "Hồ Chí Minh"}},
  };
  return all;
}

Label label_to(const Place& place) {
  auto label = label_of("WB0000000001");
  label.recipient = {.name = place.lines.front(),
                     .company = {},
                     .phone = {},
                     .address = {place.lines.begin() + 1, place.lines.end()},
                     .country = place.country};
  return label;
}

Label label_with(const std::string& text, const std::string& country = {}) {
  return label_to({.country = country, .lines = {text}});
}

/// `text` without the marks by which pdftotext shows that it runs from right to left.
std::string without_directions(std::string text) {
  for (const std::string mark : {"\u202A", "\u202B", "\u202C", "\u200E", "\u200F"}) {
    for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark))
      text.erase(at, mark.size());
  }
  return text;
}

TEST_F(PrintedLabel, TextOfEveryScriptReadsBack) {
  for (const auto& place : places()) {
    const auto label = label_to(place);
    const auto text = without_directions(output_of("pdftotext " + stored(label) + " -"));
    for (const auto& line : place.lines) EXPECT_THAT(text, HasSubstr(line + "\n")) << place.country;
    EXPECT_THAT(text, Not(HasSubstr("Warning")));
    EXPECT_LE(render_label(label).size(), 60'000U) << place.country;
  }
}

TEST_F(PrintedLabel, NoTwoTextsAreOnePicture) {
  std::set<std::string> images;
  std::size_t count = 0;
  for (const auto& place : places()) {
    for (const auto& line : place.lines) {
      images.insert(image_of(label_with(line, place.country)));
      ++count;
    }
  }
  EXPECT_EQ(images.size(), count);
  EXPECT_NE(image_of(label_with("山田太郎")), image_of(label_with("高橋花子")));
}

TEST_F(PrintedLabel, TextIsShaped) {
  const std::string apart = "\u200C";
  EXPECT_NE(image_of(label_with("محمد")), image_of(label_with("م" + apart + "ح" + apart + "م" + apart + "د")))
      << "Arabic letters are joined";
  EXPECT_NE(image_of(label_with("क्ष")), image_of(label_with("क्" + apart + "ष"))) << "a conjunct";
  EXPECT_EQ(image_of(label_with("e\u0301")), image_of(label_with("\u00E9"))) << "a combining mark";
  EXPECT_EQ(image_of(label_with("\u1100\u1161")), image_of(label_with("\uAC00")))
      << "letters of one syllable";
}

/// A word on a page, in points from its upper left corner.
struct Word {
  float left, top, right, bottom;
  std::string text;
};

std::vector<Word> words_of(const std::string& file) {
  std::vector<Word> words;
  std::istringstream lines(output_of("pdftotext -bbox " + file + " -"));
  for (std::string line; std::getline(lines, line);) {
    Word word{};
    const bool is_word = std::sscanf(line.c_str(), " <word xMin=\"%f\" yMin=\"%f\" xMax=\"%f\" yMax=\"%f\"",
                                     &word.left, &word.top, &word.right, &word.bottom) == 4;
    word.text = line;
    if (is_word) words.push_back(word);
  }
  return words;
}

TEST_F(PrintedLabel, HebrewAndArabicRunFromRightToLeft) {
  // Words in the order of the page, from left to right.
  EXPECT_THAT(without_directions(text_of(label_with("שלום 15 Ltd עולם"))), HasSubstr("\nעולם Ltd 15 שלום\n"));
  EXPECT_THAT(without_directions(text_of(label_with("مرحبا 15 Ltd دنيا"))),
              HasSubstr("\nدنيا Ltd 15 مرحبا\n"));
  EXPECT_THAT(without_directions(text_of(label_with("Ltd שלום עולם 15"))), HasSubstr("\nLtd 15 עולם שלום\n"));
}

TEST_F(PrintedLabel, TheCountrySelectsTheFormsOfHan) {
  std::set<std::string> images;
  for (const std::string country : {"CN", "HK", "JP", "KR", "TW"})
    images.insert(image_of(label_with("直骨述置判化", country)));
  EXPECT_GE(images.size(), 4U) << "some differ in few characters only";
  EXPECT_EQ(image_of(label_with("直骨", "SG")), image_of(label_with("直骨", "CN")));
}

TEST_F(PrintedLabel, ThaiBreaksBetweenWords) {
  std::string address;
  for (int i = 0; i < 12; ++i) address += "ประเทศไทย";
  std::istringstream lines(text_of(label_with(address)));
  std::string joined;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("ประเทศ") && !line.starts_with("ไทย")) continue;
    EXPECT_TRUE(line.ends_with("ประเทศ") || line.ends_with("ไทย")) << line;
    joined += line;
  }
  EXPECT_EQ(joined, address);
}

TEST(Label, ControlsOfTheWritingDirectionChangeNothing) {
  const auto plain = render_label(label_with("12 Main Street 34"));
  EXPECT_EQ(render_label(label_with("\u202E12 Main\u202C \u2067Street\u2069 \u200F34\u200F")), plain);
}

TEST_F(PrintedLabel, EmojiAndSignsDoNotStopAParcel) {
  EXPECT_EQ(render_label(label_with("\U0001F380 Ada \U0001F469\u200D\U0001F680\uF8FF")),
            render_label(label_with("Ada")));
  EXPECT_EQ(text_of(label_with("\U0001F380")), text_of(label_with("")));
}

TEST(Label, AFieldOfWhichNothingIsPrintedIsRefusedByName) {
  for (Party Label::* party : {&Label::sender, &Label::recipient}) {
    auto label = label_of("WB0000000001");
    (label.*party).fields = {{"its.name", "Ada \U0001F380"}, {"its.company", ""}, {"its.city", "\u200B "}};
    EXPECT_NO_THROW(render_label(label));
    (label.*party).fields.push_back({"its.street", "\U0001F380 \uF8FF"});
    try {
      render_label(label);
      ADD_FAILURE();
    } catch (const UnprintableField& field) {
      EXPECT_EQ(field.name(), "its.street");
    }
  }
}

TEST(Label, AScriptWithoutAFontIsRefusedInAnyField) {
  constexpr const char* unknown = "Ada \u0378";  // no character, and none will be one soon
  const auto expect_refused = [](const Label& label) {
    try {
      render_label(label);
      ADD_FAILURE();
    } catch (const MissingFont& missing) {
      EXPECT_EQ(missing.scripts(), std::vector<std::string>{"U+0378"});
    }
  };
  for (std::string Label::* field :
       {&Label::carrier, &Label::service_level, &Label::weight, &Label::order_number, &Label::reference,
        &Label::carrier_tracking_number}) {
    auto label = label_of("WB0000000001");
    label.*field = unknown;
    expect_refused(label);
  }
  for (Party Label::* party : {&Label::sender, &Label::recipient}) {
    for (std::string Party::* field : {&Party::name, &Party::company, &Party::phone}) {
      auto label = label_of("WB0000000001");
      label.*party.*field = unknown;
      expect_refused(label);
    }
    auto label = label_of("WB0000000001");
    (label.*party).address = {unknown};
    expect_refused(label);
  }
}

TEST_F(PrintedLabel, LabelsOfVeryManyDifferentCharactersStaySmall) {
  char32_t next = U'\u4E00';
  const auto text = [&](int length) {
    std::string made;
    for (int i = 0; i < length; ++i, next += 17) {
      made += static_cast<char>(0xE0U | next >> 12U);
      made += static_cast<char>(0x80U | (next >> 6U & 0x3FU));
      made += static_cast<char>(0x80U | (next & 0x3FU));
      if (next > U'\u9F00') next = U'\u4E00' + next % 17;
    }
    return made;
  };
  const auto party = [&] {
    return Party{.name = text(200),
                 .company = text(200),
                 .phone = "1",
                 .address = {text(200), text(200), text(200)},
                 .country = "JP"};
  };
  const Label label{.tracking_number = "WB0000000001",
                    .sender = party(),
                    .recipient = party(),
                    .carrier = text(200),
                    .service_level = text(200),
                    .packages = 2,
                    .order_number = text(200),
                    .reference = text(200),
                    .carrier_tracking_number = text(200)};
  EXPECT_LE(render_label(label).size(), largest_label);
  EXPECT_THAT(codes_of(label), HasSubstr("CODE-128:WB0000000001"));
}

/// Returns text of random characters, among them all kinds that text can have.
std::string random_text(std::mt19937& random) {
  static const std::vector<std::string> pieces = [] {
    std::vector<std::string> all = {" ",      "\n",     "\t",     "\u200B",     "\u200D", "\u202E", "\u0301",
                                    "\u0E49", "\u094D", "\u0FB2", "\U0001F600", "1",      "A",      ",",
                                    "-",      "\uFEFF", "\u3000", "\xFF",       "\uFFFD", "ﷺ",      "𝔄"};
    for (const auto& place : places()) all.insert(all.end(), place.lines.begin(), place.lines.end());
    return all;
  }();
  std::string text;
  const auto length = std::uniform_int_distribution<int>(0, 60)(random);
  for (int i = 0; i < length; ++i)
    text += pieces[std::uniform_int_distribution<std::size_t>(0, pieces.size() - 1)(random)];
  return text;
}

TEST_F(PrintedLabel, BarcodesStayReadableWhateverTheTexts) {
  std::mt19937 random(1);  // NOLINT(bugprone-random-generator-seed): the same texts in each run
  for (int i = 0; i < 8; ++i) {
    const auto party = [&] {
      Party made{.name = random_text(random),
                 .company = random_text(random),
                 .phone = random_text(random),
                 .address = {},
                 .country = places()[random() % places().size()].country};
      for (auto lines = random() % 12; lines > 0; --lines) made.address.push_back(random_text(random));
      return made;
    };
    const Label label{.tracking_number = "WB0000000001",
                      .sender = party(),
                      .recipient = party(),
                      .carrier = random_text(random),
                      .service_level = random_text(random),
                      .packages = static_cast<std::int64_t>(random() % 3),
                      .weight = random_text(random),
                      .order_number = random_text(random),
                      .reference = random_text(random),
                      .carrier_tracking_number = random_text(random),
                      .is_test = i % 2 == 0};
    const auto codes = codes_of(label);
    EXPECT_THAT(codes, HasSubstr("CODE-128:WB0000000001")) << i;
    EXPECT_THAT(codes, HasSubstr("QR-Code:WB0000000001")) << i;
    for (const auto& word : words_of(stored(label))) {
      const bool is_watermark = word.bottom - word.top > 100;
      EXPECT_TRUE(is_watermark || (word.left > 10 && word.right < 290)) << i << word.text;
    }
  }
}

TEST_F(PrintedLabel, LettersHaveAllTheirStrokes) {
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
  EXPECT_GT(ink("東"), ink("口"));
}

TEST_F(PrintedLabel, ATestLabelSaysSoAndIsScannable) {
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

TEST_F(PrintedLabel, LongTextsNeitherOverlapNorLeaveThePage) {
  const auto words = words_of(stored(extreme_label()));
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

TEST_F(PrintedLabel, LongTextsKeepTheirBeginningsAndTheCountry) {
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
