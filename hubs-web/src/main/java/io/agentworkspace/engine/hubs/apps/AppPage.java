package io.agentworkspace.engine.hubs.apps;

import io.agentworkspace.engine.model.text.Sha256;
import io.agentworkspace.engine.model.tool.Guide;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * A page of an MCP App: one document with its styles and scripts inside, which a host shows in a frame without a network.
 */
public record AppPage(Guide.Page page, String title, String description) {
    /** Returns the four pages. */
    public static List<AppPage> all() {
        return Arrays.stream(Guide.Page.values()).map(AppPage::of).toList();
    }

    private static AppPage of(Guide.Page page) {
        return switch (page) {
            case CONVERSATION ->
                new AppPage(page, "Conversation", "The messages of an agent or a zone, with a box to answer.");
            case SEARCH ->
                new AppPage(page, "Found memories", "What a search found and why. A person says what answers it.");
            case QUESTIONS ->
                new AppPage(page, "Questions", "Questions that wait for a person, with a button for each choice.");
            case TASKS -> new AppPage(page, "Tasks", "The tasks of a domain as a board.");
        };
    }

    /** Returns the last part of its address. */
    public String name() {
        return page.name().toLowerCase(Locale.ROOT);
    }

    /** Returns a script or style sheet, by its path below {@code hubs/assets}. */
    static String asset(String name) {
        try (var in = AppPage.class.getResourceAsStream("/hubs/assets/" + name)) {
            return new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Returns the document, which is put together at each call. Its own policy holds whatever the host allows: no script but this one, and no
     * request to anywhere.
     */
    public String html() {
        var text = "\n" + ModuleBundle.of("apps/" + name() + ".js") + "\n";
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
                <main><h1>%s</h1><div id="page"></div></main>
                <script type="module">%s</script>
                </body>
                </html>
                """.formatted(digest(text), title, asset("apps/app.css"), title, text);
    }

    private static String digest(String script) {
        return Base64.getEncoder().encodeToString(Sha256.of(script));
    }
}
