package io.agentworkspace.engine.hubs.apps;

import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A script and all modules that it imports as one script, for pages that may load nothing. Each module becomes a function that is called
 * once, after those that it imports. It reads the forms of import and export that Prettier writes and this project uses.
 */
final class ModuleBundle {
    private static final Pattern IMPORT =
            Pattern.compile("(?m)^import (?:(\\* as \\w+|\\{[^}]*}) from )?'(\\.[^']+)';\n");
    private static final Pattern DECLARED =
            Pattern.compile("(?m)^export ((?:async )?(?:const|function\\*?|class) ([\\w$]+))");
    private static final Pattern LISTED = Pattern.compile("export ?\\{([^}]*)};?\\s*$");
    private static final Pattern LEFT = Pattern.compile("(?m)^(?:import|export)\\b");
    private static final Pattern RENAMED = Pattern.compile("([\\w$]+) as ([\\w$]+)");

    /** What would end the element or begin a comment of HTML in it. */
    private static final Pattern HTML = Pattern.compile("(?i)</script|<!--");

    private final Map<String, String> functions = new LinkedHashMap<>();

    private ModuleBundle() {}

    /** @param name the module's path below {@code hubs/assets} */
    static String of(String name) {
        var bundle = new ModuleBundle();
        bundle.add(name);
        var text = "const modules = {};\n" + String.join("\n", bundle.functions.values());
        if (HTML.matcher(text).find()) {
            throw new IllegalStateException(name + " or an import of it cannot be inside an element of HTML");
        }
        return text;
    }

    private void add(String name) {
        if (functions.containsKey(name)) {
            return;
        }
        var source = AppPage.asset(name);
        var exported = new ArrayList<String>();
        var body = IMPORT.matcher(source)
                .replaceAll(found -> Matcher.quoteReplacement(imported(
                        found.group(1), URI.create(name).resolve(found.group(2)).toString())));
        body = DECLARED.matcher(body).replaceAll(found -> {
            exported.add(found.group(2));
            return Matcher.quoteReplacement(found.group(1));
        });
        body = LISTED.matcher(body).replaceAll(found -> {
            exported.addAll(
                    List.of(RENAMED.matcher(found.group(1)).replaceAll("$2: $1").split(",")));
            return "";
        });
        if (LEFT.matcher(body).find()) {
            throw new IllegalStateException(name + " has a form of import or export that is not read here");
        }
        functions.put(
                name,
                "modules['%s'] = (() => {\n%s\nreturn { %s };\n})();"
                        .formatted(name, body, String.join(", ", exported)));
    }

    /** Returns the statement that stands for an import. */
    private String imported(@Nullable String names, String module) {
        add(module);
        if (names == null) {
            return "";
        }
        var taken = names.startsWith("*")
                ? names.substring("* as ".length())
                : RENAMED.matcher(names).replaceAll("$1: $2");
        return "const %s = modules['%s'];\n".formatted(taken, module);
    }
}
