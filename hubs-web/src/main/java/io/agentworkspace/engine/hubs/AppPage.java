package io.agentworkspace.engine.hubs;

import io.agentworkspace.engine.model.text.Sha256;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;

/**
 * A page of an MCP App: one document with its styles and scripts inside, which a host shows in a frame without a network.
 *
 * @param name the last part of its address
 * @param tools the tools whose results it shows
 */
public record AppPage(String name, String title, String description, List<String> tools, String html) {
    /** Returns the four pages. */
    public static List<AppPage> all() {
        return List.of(
                page(
                        "conversation",
                        "Conversation",
                        "The messages of an agent or a zone, with a box to answer.",
                        List.of("AP_Read", "ZN_Read")),
                page(
                        "search",
                        "Found memories",
                        "What a search found and why. A person says what answers the question.",
                        List.of("MB_Search")),
                page(
                        "questions",
                        "Questions",
                        "Questions that wait for a person, with a button for each choice.",
                        List.of("US_Inbox", "AP_Ask")),
                page("tasks", "Tasks", "The tasks of a domain as a board.", List.of("TK_List")));
    }

    private static AppPage page(String name, String title, String description, List<String> tools) {
        return new AppPage(name, title, description, tools, document(title, ModuleBundle.of("apps/" + name + ".js")));
    }

    /** The page's own policy holds whatever the host allows: no script but this one, and no request to anywhere. */
    private static String document(String title, String script) {
        var text = "\n" + script + "\n";
        return """
                <!doctype html>
                <html lang="en">
                <head>
                <meta charset="utf-8">
                <meta name="viewport" content="width=device-width, initial-scale=1">
                <meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'sha256-%s'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
                <title>%s</title>
                <style>
                %s</style>
                </head>
                <body>
                <main></main>
                <script type="module">%s</script>
                </body>
                </html>
                """.formatted(
                        digest(text),
                        title,
                        new String(Assets.bytes("/hubs/assets/apps/app.css"), StandardCharsets.UTF_8),
                        text);
    }

    private static String digest(String script) {
        return Base64.getEncoder().encodeToString(Sha256.of(script.getBytes(StandardCharsets.UTF_8)));
    }
}
