package io.agentworkspace.engine.hubs;

import com.samskivert.mustache.Mustache;
import com.samskivert.mustache.Template;
import java.io.Reader;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The templates under {@code hubs/templates}. Values are escaped, except in triple braces. */
final class Templates {
    private final Map<String, Template> compiled = new ConcurrentHashMap<>();
    private final Mustache.Compiler compiler =
            Mustache.compiler().escapeHTML(true).emptyStringIsFalse(true).withLoader(Templates::source);
    private final String assets;
    private final String version;

    Templates(Assets assets, String version) {
        this.assets = assets.root();
        this.version = version;
    }

    /**
     * What surrounds every page.
     *
     * @param section the entry of the navigation that it belongs to: {@code tools}, {@code skills},
     *     {@code connect}, {@code doctor}, {@code docs}
     * @param script the page's own module among the assets, without {@code .js}; null for none
     */
    record Frame(
            String title,
            String description,
            String section,
            @Nullable String script) {
        public boolean isTools() {
            return section.equals("tools");
        }

        public boolean isSkills() {
            return section.equals("skills");
        }

        public boolean isConnect() {
            return section.equals("connect");
        }

        public boolean isDoctor() {
            return section.equals("doctor");
        }

        public boolean isDocs() {
            return section.equals("docs");
        }
    }

    /** @param user the signed-in user */
    private record Framed(
            Frame frame,
            String assets,
            String version,
            @Nullable String user,
            String main) {}

    /** Renders a whole page: the template with its data, in the frame. */
    String page(String template, Object data, Frame frame, PageRequest request) {
        var user = request.caller() == null ? null : request.caller().userName();
        return fill("frame", new Framed(frame, assets, version, user, fill(template, data)));
    }

    /** Returns the path to which an asset's name is appended. */
    String assets() {
        return assets;
    }

    String fill(String template, Object data) {
        return compiled.computeIfAbsent(template, name -> compiler.compile(source(name)))
                .execute(data);
    }

    private static Reader source(String name) {
        return new StringReader(new String(Assets.bytes("/hubs/templates/" + name + ".html"), StandardCharsets.UTF_8));
    }
}
