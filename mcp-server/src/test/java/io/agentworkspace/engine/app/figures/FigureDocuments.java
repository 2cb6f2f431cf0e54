package io.agentworkspace.engine.app.figures;

import io.agentworkspace.engine.model.json.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** What is made of the figures: a dashboard for Grafana, rules for Prometheus, and the page about them. */
final class FigureDocuments {
    private static final int WIDTH = 12;
    private static final int HEIGHT = 7;

    private FigureDocuments() {}

    /** Returns the dashboard, with a panel for each figure. */
    static String dashboard() {
        var panels = new ArrayList<Map<String, Object>>();
        for (var figure : Figures.ALL) {
            panels.add(panel(figure, panels.size()));
        }
        var dashboard = new LinkedHashMap<String, Object>();
        dashboard.put("title", "Engine: ten figures");
        dashboard.put("uid", "engine-figures");
        dashboard.put("schemaVersion", 39);
        dashboard.put("refresh", "30s");
        dashboard.put("time", ordered("from", "now-6h", "to", "now"));
        dashboard.put(
                "templating",
                Map.of("list", List.of(ordered("name", "source", "type", "datasource", "query", "prometheus"))));
        dashboard.put("panels", panels);
        return Json.pretty(dashboard) + "\n";
    }

    private static Map<String, Object> panel(Figure figure, int place) {
        var limit = figure.limit();
        var good = ordered("color", limit.isLow() ? "red" : "green", "value", null);
        var bad = ordered("color", limit.isLow() ? "green" : "red", "value", limit.value());
        var panel = new LinkedHashMap<String, Object>();
        panel.put("id", place + 1);
        panel.put("type", "timeseries");
        panel.put("title", figure.title());
        panel.put("description", figure.runbook().meaning());
        panel.put("datasource", ordered("type", "prometheus", "uid", "${source}"));
        panel.put("gridPos", ordered("x", place % 2 * WIDTH, "y", place / 2 * HEIGHT, "w", WIDTH, "h", HEIGHT));
        panel.put("targets", List.of(ordered("refId", "A", "expr", figure.query())));
        panel.put(
                "fieldConfig",
                ordered(
                        "defaults",
                        ordered(
                                "unit",
                                figure.unit(),
                                "min",
                                0,
                                "custom",
                                ordered("thresholdsStyle", ordered("mode", "line")),
                                "thresholds",
                                ordered("mode", "absolute", "steps", List.of(good, bad))),
                        "overrides",
                        List.of()));
        return panel;
    }

    private static Map<String, Object> ordered(Object... pairs) {
        var map = new LinkedHashMap<String, Object>();
        for (var i = 0; i < pairs.length; i += 2) {
            map.put(pairs[i].toString(), pairs[i + 1]);
        }
        return map;
    }

    /** Returns the rules: one for an engine that has no figures since it is gone, and one for each figure. */
    static String rules() {
        return Figures.ALL.stream().map(FigureDocuments::rule).collect(Collectors.joining("", """
                # Alerts on the engine's ten figures. Generated from app/figures/Figures; docs/alerts.md says what to do.
                groups:
                  - name: engine
                    rules:
                      - alert: EngineDown
                        expr: 'up{job=~".*engine.*"} == 0 or absent(engine_info)'
                        for: 1m
                        labels:
                          severity: critical
                        annotations:
                          summary: "{{ with $labels.instance }}{{ . }}: {{ end }}The engine cannot be scraped"
                          description: "The engine is not running, or its metrics cannot be reached: the other alerts cannot fire."
                          runbook: docs/alerts.md#down
                """, ""));
    }

    private static String rule(Figure figure) {
        return """
                      - alert: %s
                        expr: %s
                        for: %s
                        labels:
                          severity: %s
                        annotations:
                          summary: %s
                          description: %s
                          runbook: docs/alerts.md#%s
                """.formatted(
                        figure.alert(),
                        Json.text(figure.query() + " " + figure.limit().comparison()),
                        figure.lasting(),
                        figure.limit().isLow() ? "critical" : "warning",
                        Json.text("{{ with $labels.instance }}{{ . }}: {{ end }}" + figure.title()
                                + ": {{ $value | printf \"%.3g\" }}"),
                        Json.text(figure.runbook().meaning()),
                        figure.name());
    }

    /** Returns the table and the sections of the page. */
    static String page() {
        var rows = Figures.ALL.stream()
                .map(figure -> "| [%s](#%s) | %s | %s | %s |\n"
                        .formatted(figure.name(), figure.name(), figure.title(), limit(figure), figure.lasting()))
                .collect(Collectors.joining());
        var sections = Figures.ALL.stream().map(FigureDocuments::section).collect(Collectors.joining());
        return "| figure | what it is | wrong if | for |\n|---|---|---|---|\n" + rows + sections;
    }

    private static String limit(Figure figure) {
        var limit = figure.limit();
        return figure.unit().equals("bool_yes_no")
                ? "no"
                : (limit.isLow() ? "less than " : "more than ") + figure.text(limit.value());
    }

    private static String section(Figure figure) {
        var runbook = figure.runbook();
        return """

                ## %s

                `%s` · alert `%s`

                - **What it means**: %s
                - **What to look at**: %s
                - **What to do**: %s
                """.formatted(
                figure.name(), figure.query(), figure.alert(), runbook.meaning(), runbook.look(), runbook.act());
    }
}
