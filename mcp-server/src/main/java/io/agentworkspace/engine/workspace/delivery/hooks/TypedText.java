package io.agentworkspace.engine.workspace.delivery.hooks;

import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * What a person typed of a prompt. Clients start turns with texts of their own, too: notices of finished tasks, messages of
 * other sessions, wake-ups, output of commands, reminders.
 */
final class TypedText {
    /** The most characters of a prompt that are looked at. */
    private static final int MOST = 16_384;

    /** Tags that clients put around their own texts, besides those whose name has two words. */
    private static final String TAGS = "channel|hook|notification|reminder|system|goal|tick";

    /** The beginning of a tag of a client. People who write of HTML seldom use such a name. */
    private static final Pattern TAG = Pattern.compile(
            "<((?:[a-z][a-z0-9]*[_-][a-z0-9_-]*|%s))(?:\\s[^<>]*+)?+>".formatted(TAGS), Pattern.CASE_INSENSITIVE);

    /** How texts of clients without tags begin. */
    private static final List<String> OPENINGS = List.of(
            "another claude session sent a message",
            "workspace: ",
            "[system notification",
            "[request interrupted",
            "[tool use interrupted",
            "caveat: the messages below",
            "this session is being continued",
            "another language model started to solve this problem",
            "# agents.md instructions",
            "the user sent a new message while you were working");

    /** What a hook said, such as that the turn goes on. */
    private static final Pattern HOOK = Pattern.compile(
            "\\A[a-z]+(?::\\S+)? hook (?:feedback|(?:blocking )?error|additional context|success|stopped|cancelled)\\b",
            Pattern.CASE_INSENSITIVE);

    /** What stands for something that was pasted or dropped. */
    private static final Pattern PLACEHOLDER = Pattern.compile(
            "\\[(?:Image|Pasted text|File|Attachment)(?: #\\d+|: source:)[^\\]\\n]*\\]", Pattern.CASE_INSENSITIVE);

    /** A wake-up of ours, wherever a client puts it; or the answer to the end of a turn, which Gemini CLI makes the next prompt. See {@link News}. */
    private static final Pattern WAKE_UP = Pattern.compile(
            "Workspace: \\d+ new messages? from [^\\n]*; read (?:it|them) with AP_Wait|\\A\\d+ new messages? waits? for the agent ");

    /** The name of a command, which its client replaces by another text. */
    private static final Pattern COMMAND = Pattern.compile("\\A/[a-z][\\w:-]*(?=\\s|\\z)", Pattern.CASE_INSENSITIVE);

    private TypedText() {}

    /** Returns the part of a prompt that a person typed; an empty text if there is none. */
    static String of(String prompt) {
        var text = withoutTags(prompt.substring(0, Math.min(prompt.length(), MOST)))
                .strip();
        if (OPENINGS.stream().anyMatch(opening -> text.regionMatches(true, 0, opening, 0, opening.length()))
                || HOOK.matcher(text).find()
                || WAKE_UP.matcher(text).find()) {
            return "";
        }
        return PLACEHOLDER
                .matcher(COMMAND.matcher(text).replaceFirst(""))
                .replaceAll(" ")
                .strip();
    }

    /**
     * Returns the text without what is between a client's tags. One that begins a line and does not end reaches to the end of the
     * text; within a line, a person writes of it.
     */
    private static String withoutTags(String text) {
        var lower = text.toLowerCase(Locale.ROOT);
        var kept = new StringBuilder();
        var tag = TAG.matcher(text);
        var from = 0;
        while (tag.find(from)) {
            kept.append(text, from, tag.start());
            var end = "</" + tag.group(1).toLowerCase(Locale.ROOT) + ">";
            var at = lower.indexOf(end, tag.end());
            if (at >= 0) {
                from = at + end.length();
            } else if (text.substring(text.lastIndexOf('\n', tag.start()) + 1, tag.start())
                    .isBlank()) {
                return kept.toString();
            } else {
                kept.append(tag.group());
                from = tag.end();
            }
        }
        return kept.append(text, from, text.length()).toString();
    }
}
