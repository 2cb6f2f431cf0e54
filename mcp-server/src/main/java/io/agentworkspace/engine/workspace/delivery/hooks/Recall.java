package io.agentworkspace.engine.workspace.delivery.hooks;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.text.Excerpt;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.ToolRunner;
import io.agentworkspace.engine.workspace.delivery.hooks.HookQueries.Recalled;
import java.time.Instant;
import java.util.List;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/** Memories for a prompt: what MB_Search finds for it, unless it abstains. */
final class Recall {
    private static final int MOST = 3;
    private static final int TOKENS = 300;

    /** The most characters of a prompt that are searched for. */
    private static final int PROMPT = 2_000;

    /** What would restrict the search if a user happens to type it: phrases, exclusions, prefixes and fields. */
    private static final Pattern SYNTAX = Pattern.compile("[\"“”*]|(?<![\\p{L}\\p{N}])-+|\\b(?:name|tag):");

    /** A word, or a character of a script without spaces. */
    private static final Pattern WORD = Pattern.compile(
            "[\\p{IsHan}\\p{IsHiragana}\\p{IsKatakana}\\p{IsHangul}]|[\\p{L}\\p{M}\\p{N}&&[^\\p{IsHan}\\p{IsHiragana}\\p{IsKatakana}\\p{IsHangul}]]+");

    /** So few words are no question: a greeting is like every short note. */
    private static final int FEW_WORDS = 3;

    private final ToolRunner runner;

    Recall(ToolRunner runner) {
        this.runner = runner;
    }

    /** Returns at most three memories that the caller may read and that answer the prompt. */
    List<Recalled> find(Caller caller, String prompt, String requestId) {
        var query = Excerpt.cut(SYNTAX.matcher(prompt).replaceAll(" ").strip(), PROMPT);
        if (query.isBlank()) {
            return List.of();
        }
        var arguments = Json.object().put("content", query).put("max_tokens", TOKENS);
        arguments.putObject("page").put("limit", MOST);
        var answer = runner.runUncounted(
                new ToolRunner.Request("MB_Search", arguments, caller, requestId, true, null).readOnly(true));
        var found = answer.envelope();
        return answer.problem() != null || found.path("abstain").asBoolean(true)
                ? List.of()
                : found.path("content")
                        .valueStream()
                        .limit(MOST)
                        .filter(hit -> helps(hit, query))
                        .map(Recall::recalled)
                        .toList();
    }

    /** Returns whether a note is of use: it has content, and one word in common with a prompt of a few words. */
    private static boolean helps(JsonNode hit, String query) {
        var note = hit.path("name").asString("") + " "
                + hit.path("text").asString(hit.path("snippet").asString(""));
        return words(note) >= FEW_WORDS
                && (words(query) >= FEW_WORDS || !hit.at("/why/terms").isEmpty());
    }

    private static long words(String text) {
        return WORD.matcher(text).results().limit(FEW_WORDS).count();
    }

    private static Recalled recalled(JsonNode hit) {
        return new Recalled(
                hit.path("bank").asString(""),
                hit.path("name").asStringOpt().orElse(null),
                hit.path("text").asString(hit.path("snippet").asString("")),
                hit.path("author").asString(""),
                Instant.parse(hit.path("created_at").asString("")));
    }
}
