// SDF3 XML: what its files say, and what is wrong with those that are none.
#include "io/support.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

using namespace antiphon;
using namespace antiphon::io::test;

namespace {

using Found = std::vector<std::string>;

std::string sdf3(const std::string& graph, const std::string& properties = "") {
  return "<?xml version=\"1.0\"?>\n<sdf3 type=\"csdf\" version=\"1.0\">\n<applicationGraph "
         "name=\"app\">\n"
         "<csdf name=\"g\" type=\"t\">\n" +
         graph + "</csdf>\n<csdfProperties>\n" + properties +
         "</csdfProperties>\n</applicationGraph>\n</sdf3>\n";
}

}  // namespace

TEST_CASE("an SDF3 graph keeps its names, rates, tokens and places") {
  const auto model = read(
      sdf3("<actor name=\"A\" type=\"T\">\n"
           "  <port name=\"o\" type=\"out\" rate=\"18*32,0\"/>\n"
           "</actor>\n"
           "<actor name='B' type='T'>\n"
           "  <port type = \"in\" name = \"i\" rate = \"1,2;3\" />\n"
           "</actor>\n"
           "<channel name=\"c\" srcActor=\"A\" srcPort=\"o\" dstActor=\"B\" dstPort=\"i\" "
           "size=\"8\" "
           "initialTokens=\"3\"/>\n",
           "<actorProperties actor=\"B\"><processor type=\"p\" default=\"true\"><executionTime "
           "time=\"4,2*5\"/></processor></actorProperties>\n"),
      {}, "g.xml");
  CHECK(model.semantics == Semantics::sdf3);
  CHECK(model.name == "app");
  CHECK(at(model.place) == "3:25+3");
  REQUIRE(model.actors.size() == 2);
  CHECK(model.actors[0].name == "A");
  CHECK(model.actors[0].concurrency == 0);
  CHECK_FALSE(model.actors[0].cost);
  CHECK(at(model.actors[0].place) == "5:14+1");
  CHECK(at(model.actors[1].place) == "8:14+1");
  CHECK(model.actors[0].ports[0].direction == Direction::out);
  CHECK(model.actors[0].ports[0].rate == PhaseSequence({}, {{18, 32}, {1, 0}}));
  CHECK(at(model.actors[0].ports[0].place) == "6:3+5");
  CHECK(model.actors[1].ports[0].direction == Direction::in);
  CHECK(model.actors[1].ports[0].rate == PhaseSequence({{1, 1}, {1, 2}}, {{1, 3}}));
  CHECK(*model.actors[1].cost == PhaseSequence({}, {{1, 4}, {2, 5}}));
  REQUIRE(model.channels.size() == 1);
  const auto& channel = model.channels[0];
  CHECK(channel.name == "c");
  CHECK(channel.from.actor == "A");
  CHECK(channel.to[0].port == "i");
  CHECK(at(channel.from.place) == "11:41+1");
  CHECK(at(channel.to[0].place) == "11:66+1");
  CHECK(channel.initial == 3);
  CHECK(at(channel.initial_place) == "11:93+1");
  CHECK_FALSE(channel.capacity);
  CHECK(channel.type.size == 8);  // of a message: SDF3's channels have no bound
  CHECK(at(channel.place) == "11:1+8");
}

TEST_CASE("an element sdf is read in a file of type csdf") {
  const auto model = read(
      "<sdf3 type=\"csdf\"><applicationGraph><sdf name=\"g\"><actor name=\"a\"/></sdf>"
      "</applicationGraph></sdf3>");
  CHECK(model.name == "g");
  CHECK(model.actors.size() == 1);
}

TEST_CASE("of several processors the last default counts, and without any the last") {
  const auto cost = [](const std::string& processors) {
    return read(sdf3("<actor name=\"A\"/>\n",
                     "<actorProperties actor=\"A\">" + processors + "</actorProperties>\n"))
        .actors[0]
        .cost;
  };
  const std::string one = "<processor type=\"p\"><executionTime time=\"1\"/></processor>";
  const std::string two =
      "<processor type=\"q\" default=\"true\"><executionTime time=\"2\"/></processor>";
  const std::string three =
      "<processor type=\"r\" default=\"true\"><executionTime time=\"3\"/></processor>";
  const std::string four =
      "<processor type=\"s\" default=\"false\"><executionTime time=\"4\"/></processor>";
  CHECK(*cost(one + two + four) == PhaseSequence(2));
  CHECK(*cost(two + three + one) == PhaseSequence(3));
  CHECK(*cost(one + four) == PhaseSequence(4));
  CHECK(*cost(one) == PhaseSequence(1));
  CHECK_FALSE(cost(""));
  CHECK_FALSE(cost("<processor type=\"p\" default=\"true\"/>"));
}

TEST_CASE("ports that are missing or there twice are left to the check") {
  const auto model =
      read(sdf3("<actor name=\"A\"><port name=\"o\" type=\"out\" rate=\"1\"/>"
                "<port name=\"o\" type=\"out\" rate=\"2\"/></actor>\n<actor name=\"A\"/>\n"
                "<channel srcActor=\"A\" srcPort=\"q\" dstActor=\"Z\" dstPort=\"i\"/>\n"));
  CHECK(model.actors.size() == 2);
  CHECK(model.actors[0].ports.size() == 2);
  CHECK(model.channels[0].name.empty());
}

TEST_CASE("what is wrong in an SDF3 file is told at the attribute") {
  CHECK(faults(
            sdf3("<actor/>\n<actor name=\"A\">\n<port name=\"p\" type=\"inout\" rate=\"-1\"/>\n"
                 "<port rate=\"1,x\"/>\n</actor>\n"
                 "<channel srcActor=\"A\" srcPort=\"o\" dstActor=\"B\"/>\n"
                 "<channel srcActor=\"A\" srcPort=\"o\" dstActor=\"B\" dstPort=\"i\" "
                 "initialTokens=\"-2\" size=\"big\"/>\n"
                 "<channel srcActor=\"A\" srcPort=\"o\" dstActor=\"B\" dstPort=\"i\" "
                 "initialTokens=\"1\" initialTokens=\"2\"/>\n",
                 "<actorProperties actor=\"A\"><processor><executionTime time=\"1.5\"/></processor>"
                 "</actorProperties>\n")) ==
        Found{"5:1 missing-key: <actor> has no attribute 'name'",
              "7:22 bad-side: 'inout' is not a direction of a port",
              "7:35 negative-rate: the rate is negative: -1",
              "8:1 missing-key: <port> has no attribute 'name'",
              "8:1 missing-key: <port> has no attribute 'type'",
              "8:15 unknown-parameter: 'x' is neither a number nor a parameter",
              "10:1 missing-key: <channel> has no attribute 'dstPort'",
              "11:75 negative-initial: the number of initial messages is negative: -2",
              "11:85 unknown-parameter: 'big' is neither a number nor a parameter",
              "12:78 duplicate-key: the attribute 'initialTokens' is given twice",
              "15:60 bad-number: '1.5' is not an integer"});
}

TEST_CASE("names in an SDF3 file can be printed") {
  CHECK(faults(sdf3("<actor name=\"\"><port name=\"a&#10;\" type=\"in\" rate=\"1\"/></actor>\n")) ==
        Found{"5:14 bad-name: the name of an actor is empty",
              "5:28 bad-name: the name of a port has control characters: 'a\\x0a'"});
}

TEST_CASE("the ends of an SDF3 channel can be printed") {
  CHECK(faults(sdf3("<channel name=\"c\" srcActor=\"a&#9;\" srcPort=\"o\" dstActor=\"b\" "
                    "dstPort=\"&#10;i\"/>\n")) ==
        Found{"5:29 bad-name: the name of an actor has control characters: 'a\\x09'",
              "5:70 bad-name: the name of a port has control characters: '\\x0ai'"});
}

TEST_CASE("the name of an SDF3 graph can be printed") {
  auto text = sdf3("");
  text.replace(text.find("\"g\""), 3, "\"g&#9;\"");
  CHECK(faults(text) ==
        Found{"4:13 bad-name: the name of a graph has control characters: 'g\\x09'"});
}

TEST_CASE("XML that is no SDF3 graph is told") {
  CHECK(faults("<svg/>") == Found{"1:1 not-a-graph: the root element is <svg>, not <sdf3>"});
  CHECK(faults("<!-- only -->").size() == 1);
  CHECK(faults("<sdf3 type=\"sadf\"/>") ==
        Found{"1:13 unknown-format: SDF3 files of type 'sadf' are not read"});
  CHECK(faults("<sdf3 type=\"sdf\"/>") ==
        Found{"1:1 not-a-graph: the file has no <applicationGraph>"});
  CHECK(faults("<sdf3 type=\"sdf\"><applicationGraph/></sdf3>") ==
        Found{"1:18 not-a-graph: the application graph has neither <sdf> nor <csdf>"});
}

TEST_CASE("XML that is none, or cut off, is told") {
  CHECK(faults("<sdf3 type=\"sdf\"><applicationGraph></sdf3>\n")[0].find(
            "not-xml: the text is not XML: ") != std::string::npos);
  CHECK(faults("<sdf3><a b=c/></sdf3>")[0].find("not-xml: the text is not XML: ") !=
        std::string::npos);
  const std::string whole = sdf3("<actor name=\"A\"/>\n");
  for (const std::size_t length : {10UL, 60UL, 120UL, whole.size() - 10}) {
    const auto found = faults(whole.substr(0, length));
    REQUIRE(found.size() == 1);
    CHECK(found[0].find("cut-off: the text ends in the middle of an element") != std::string::npos);
  }
}

TEST_CASE("every file of the corpus is read, with as many actors and channels as it has") {
  const auto folder = std::filesystem::path(ANTIPHON_SOURCE_DIR) / "../shared/corpus/sdf";
  std::ifstream expected(folder / "expected.tsv");
  if (!expected) {
    MESSAGE("no corpus beside the source folder: not tested");
    return;
  }
  std::string line;
  std::getline(expected, line);
  int files = 0;
  while (std::getline(expected, line)) {
    std::istringstream fields(line);
    std::string file;
    std::string type;
    std::size_t actors = 0;
    std::size_t channels = 0;
    fields >> file >> type >> actors >> channels;
    if (!std::filesystem::exists(folder / file)) continue;  // kept back
    CAPTURE(file);
    const auto graph = load_graph(folder / file);
    CHECK(graph.model().actors.size() == actors);
    CHECK(graph.model().channels.size() == channels);
    CHECK(graph.model().semantics == Semantics::sdf3);
    // What is written is read as the same, and so is written as the same.
    const auto text = write_graph(graph);
    CHECK(write_graph(parse_graph(text, "again.yaml")) == text);
    ++files;
  }
  CHECK(files > 0);
}

TEST_CASE("nothing in an SDF3 file is passed over that looks like a slip") {
  const std::string actors =
      "<actor name='a'><port name='p' type='out' rate='1'/></actor>"
      "<actor name='b'><port name='q' type='in' rate='1'/></actor>";
  const auto with = [&](const std::string& channel, const std::string& properties,
                        const std::string& after) {
    const auto text = "<sdf3 type='sdf'><applicationGraph><sdf>" + actors +
                      "<channel srcActor='a' srcPort='p' dstActor='b' dstPort='q'" + channel +
                      "/></sdf><sdfProperties>" + properties +
                      "</sdfProperties></applicationGraph></sdf3>" + after;
    try {
      parse_graph(text, "g.xml");
      return std::string();
    } catch (const UnreadableGraph& error) {
      return std::string(error.report().diagnostics.front().code) + ": " +
             error.report().diagnostics.front().message;
    }
  };
  CHECK(with(" id='7'", "<actorProperties actor='a'/>", "\n<!-- end -->\n").empty());
  CHECK(with(" initialToken='3'", "", "") ==
        "unknown-key: <channel> has no attribute 'initialToken'");
  CHECK(with("", "<actorProperties actor='c'/>", "") ==
        "stray-properties: there is no actor 'c' to have these properties");
  CHECK(with("", "", "garbage") == "not-xml: there is text outside of the element <sdf3>");
  CHECK(with("", "", "<sdf3/>") == "not-xml: a second element, <sdf3>, follows the graph");
}
