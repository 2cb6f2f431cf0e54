package io.agentworkspace.engine.workspace.tasks;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.workspace.tasks.TaskRow.StoredTask;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** The order of the tasks of a domain, which has no circles. Only one transaction at a time changes it. */
final class TaskOrderQueries {
    private static final String LOCK =
            "SELECT 1 AS one FROM domain WHERE tenant_id = :tenant AND id = :domain FOR NO KEY UPDATE";

    /** Who comes before whom, from the tasks :after on. */
    private static final String BEFORE = """
            WITH RECURSIVE before AS (
                SELECT o.task_id, o.after_id
                  FROM task_order o
                 WHERE o.tenant_id = :tenant AND o.task_id = ANY(CAST(:after AS uuid[]))
                 UNION
                SELECT o.task_id, o.after_id
                  FROM before b JOIN task_order o ON o.tenant_id = :tenant AND o.task_id = b.after_id)
            SELECT task_id, after_id FROM before
            """;

    private static final String TITLES =
            "SELECT id, title FROM task WHERE tenant_id = :tenant AND id = ANY(CAST(:ids AS uuid[]))";

    private final Db db;

    TaskOrderQueries(Db db) {
        this.db = db;
    }

    /** Keeps others from changing the order until the transaction ends. Call it before the task is locked. */
    void lock(Call call, long domain) {
        db.sql(call, LOCK).set("domain", domain).one(_ -> true);
    }

    /** @throws Problem {@code conflict} with the path, if the task would come after itself */
    void requireNoCircle(Call call, StoredTask target, List<UUID> after) {
        var id = target.task().id();
        record Edge(String task, String before) {}
        var edges = db.sql(call, BEFORE)
                .set("after", after.stream().map(UUID::toString).toList())
                .list(row -> new Edge(row.text("task_id"), row.text("after_id")));
        Map<String, List<String>> graph = new HashMap<>();
        edges.forEach(edge ->
                graph.computeIfAbsent(edge.task(), _ -> new ArrayList<>()).add(edge.before()));
        var path = path(graph, after.stream().map(UUID::toString).toList(), id);
        if (!path.isEmpty()) {
            throw Problem.conflict("after would make a circle: %s; leave one of these out"
                    .formatted(String.join(" after ", titles(call, id, path))));
        }
    }

    /** Returns the shortest way from one of the tasks to the wanted one; empty if there is none. */
    private static List<String> path(Map<String, List<String>> graph, List<String> from, String target) {
        var cameFrom = new HashMap<String, String>();
        var next = new ArrayDeque<String>();
        for (var start : from) {
            cameFrom.put(start, "");
            next.add(start);
        }
        while (!next.isEmpty()) {
            var at = next.remove();
            if (at.equals(target)) {
                var path = new ArrayList<String>();
                for (var step = at; !step.isEmpty(); step = cameFrom.getOrDefault(step, "")) {
                    path.addFirst(step);
                }
                return List.copyOf(path);
            }
            for (var before : graph.getOrDefault(at, List.of())) {
                if (cameFrom.putIfAbsent(before, at) == null) {
                    next.add(before);
                }
            }
        }
        return List.of();
    }

    private List<String> titles(Call call, String first, List<String> path) {
        var ids = new ArrayList<String>();
        ids.add(first);
        ids.addAll(path);
        var titles = new HashMap<String, String>();
        db.sql(call, TITLES).set("ids", ids).list(row -> titles.put(row.text("id"), row.text("title")));
        return ids.stream()
                .map(id -> "'%s' (%s)".formatted(titles.getOrDefault(id, ""), id))
                .toList();
    }
}
