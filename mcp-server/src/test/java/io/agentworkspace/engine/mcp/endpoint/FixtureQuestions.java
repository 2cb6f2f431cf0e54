package io.agentworkspace.engine.mcp.endpoint;

import io.agentworkspace.engine.kernel.wire.ClientInfo;
import io.agentworkspace.engine.kernel.wire.MethodResult;
import io.agentworkspace.engine.mcp.source.McpRequest;
import io.agentworkspace.engine.model.json.Json;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** The fixture tools that ask the client a question, in either era. */
final class FixtureQuestions {
    private static final String NAME = """
            {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}""";
    private static final String OK = """
            {"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]}""";
    private static final String COLOUR = """
            {"type": "object", "properties": {"color": {"type": "string"}}, "required": ["color"]}""";

    void addTo(FixtureTools tools) {
        tools.add(
                "test_sampling",
                "Asks the client's model.",
                """
                {"type": "object", "properties": {"prompt": {"type": "string"}}, "required": ["prompt"]}
                """,
                asking(
                        "answer",
                        call -> sampling(call.arguments().path("prompt").asString(""), 100),
                        answer -> "LLM response: " + answer.at("/content/text").asString("")));
        tools.add(
                "test_elicitation",
                "Asks the user.",
                """
                {"type": "object", "properties": {"message": {"type": "string"}}, "required": ["message"]}
                """,
                asking(
                        "answer",
                        call -> form(call.arguments().path("message").asString(""), """
                {"type": "object", "properties": {"username": {"type": "string", "description": "User's response"},
                                                  "email": {"type": "string", "description": "User's email address"}},
                 "required": ["username", "email"]}"""),
                        answer -> "User response: " + said(answer)));
        elicitations(tools);
        rounds(tools);
        tools.add("test_missing_capability", "Needs sampling.", asking("q", _ -> sampling("?", 1), _ -> "sampled"));
        tools.add("test_streaming_elicitation", "Says something, then asks.", call -> {
            call.turn().progress(1, null, "about to ask");
            return asking("user_name", _ -> form("What is your name?", NAME), _ -> "asked")
                    .apply(call);
        });
        tools.add("test_input_required_result_capabilities", "Asks what the client can answer.", call -> {
            var questions = new LinkedHashMap<String, ObjectNode>();
            if (call.turn().client().can(ClientInfo.Ability.SAMPLING)) {
                questions.put("sampled", sampling("Say something", 50));
            }
            if (call.turn().client().can(ClientInfo.Ability.ELICITATION)) {
                questions.put("filled", form("What is your name?", NAME));
            }
            return call.turn().answer("sampled").isPresent()
                    ? MethodResult.text("done")
                    : new MethodResult.Ask(questions, null);
        });
    }

    private static void elicitations(FixtureTools tools) {
        tools.add(
                "test_elicitation_sep1034_defaults",
                "A form with defaults.",
                asking("form", _ -> form("Review the defaults", """
                {"type": "object",
                 "properties": {"name": {"type": "string", "default": "John Doe"}, "age": {"type": "integer", "default": 30},
                                "score": {"type": "number", "default": 95.5},
                                "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
                                "verified": {"type": "boolean", "default": true}},
                 "required": []}"""), FixtureQuestions::completed));
        tools.add(
                "test_elicitation_sep1330_enums",
                "A form with choices.",
                asking("form", _ -> form("Choose", """
                {"type": "object",
                 "properties": {
                   "untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
                   "titledSingle": {"type": "string", "oneOf": [{"const": "value1", "title": "First Option"},
                     {"const": "value2", "title": "Second Option"}, {"const": "value3", "title": "Third Option"}]},
                   "legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"],
                     "enumNames": ["Option One", "Option Two", "Option Three"]},
                   "untitledMulti": {"type": "array", "items": {"type": "string", "enum": ["option1", "option2", "option3"]}},
                   "titledMulti": {"type": "array", "items": {"anyOf": [{"const": "value1", "title": "First Choice"},
                     {"const": "value2", "title": "Second Choice"}, {"const": "value3", "title": "Third Choice"}]}}},
                 "required": []}"""), FixtureQuestions::completed));
    }

    private static void rounds(FixtureTools tools) {
        tools.add(
                "test_input_required_result_elicitation",
                "Asks for a name.",
                call -> name(call.turn())
                        .map(name -> MethodResult.text("Hello, %s!".formatted(name)))
                        .orElseGet(() -> ask("user_name", form("What is your name?", NAME), null)));
        tools.add(
                "test_input_required_result_sampling",
                "Asks the model.",
                asking(
                        "capital_question",
                        _ -> sampling("What is the capital of France?", 100),
                        answer -> answer.at("/content/text").asString("")));
        tools.add(
                "test_input_required_result_list_roots",
                "Asks for roots.",
                asking("client_roots", _ -> roots(), answer -> "Roots: " + answer.get("roots")));
        for (var name : List.of("request_state", "tampered_state")) {
            tools.add(
                    "test_input_required_result_" + name,
                    "Remembers something.",
                    call -> call.turn()
                            .state()
                            .filter(state -> state.path("secret").asString("").equals("kept"))
                            .filter(_ -> call.turn().answer("confirm").isPresent())
                            .map(_ -> MethodResult.text("state-ok"))
                            .orElseGet(() -> ask(
                                    "confirm",
                                    form("Please confirm", OK),
                                    Json.object().put("secret", "kept"))));
        }
        tools.add("test_input_required_result_multiple_inputs", "Asks three things.", call -> {
            var keys = List.of("user_name", "greeting", "client_roots");
            if (keys.stream().allMatch(key -> call.turn().answer(key).isPresent())) {
                return MethodResult.text("All answered.");
            }
            var questions = new LinkedHashMap<String, ObjectNode>();
            questions.put("user_name", form("What is your name?", NAME));
            questions.put("greeting", sampling("Generate a greeting", 50));
            questions.put("client_roots", roots());
            return new MethodResult.Ask(questions, Json.object().put("round", 1));
        });
        tools.add("test_input_required_result_multi_round", "Asks twice.", call -> {
            var name = call.turn().accepted("step1");
            var colour = call.turn().accepted("step2");
            var person = call.turn()
                    .state()
                    .map(state -> state.path("name").asString(""))
                    .orElse("");
            if (colour.isPresent() && !person.isEmpty()) {
                return MethodResult.text("%s likes %s"
                        .formatted(person, colour.get().path("color").asString("")));
            }
            return name.map(form -> ask(
                            "step2",
                            form("Step 2: What is your favorite color?", COLOUR),
                            Json.object().put("name", form.path("name").asString("nobody"))))
                    .orElseGet(() -> ask(
                            "step1",
                            form("Step 1: What is your name?", NAME),
                            Json.object().put("step", 1)));
        });
    }

    private static Optional<String> name(McpRequest turn) {
        return turn.accepted("user_name")
                .map(form -> form.path("name").asString(""))
                .filter(name -> !name.isEmpty());
    }

    private static Function<FixtureTools.Call, MethodResult> asking(
            String key, Function<FixtureTools.Call, ObjectNode> question, Function<ObjectNode, String> text) {
        return call -> call.turn()
                .answer(key)
                .map(answer -> MethodResult.text(text.apply(answer)))
                .orElseGet(() -> ask(key, question.apply(call), null));
    }

    static MethodResult ask(String key, ObjectNode question, @Nullable ObjectNode state) {
        return new MethodResult.Ask(Map.of(key, question), state);
    }

    static ObjectNode form(String message, String schema) {
        return MethodResult.form(message, Fixtures.json(schema));
    }

    private static ObjectNode sampling(String text, int maxTokens) {
        var question = Json.object().put("method", "sampling/createMessage");
        var params = question.putObject("params");
        params.putArray("messages").addObject().put("role", "user").set("content", Fixtures.text(text));
        params.put("maxTokens", maxTokens);
        return question;
    }

    private static ObjectNode roots() {
        var question = Json.object().put("method", "roots/list");
        question.putObject("params");
        return question;
    }

    private static String completed(ObjectNode answer) {
        return "Elicitation completed: " + said(answer);
    }

    private static String said(ObjectNode answer) {
        return "action=%s, content=%s".formatted(answer.path("action").asString(""), answer.path("content"));
    }
}
