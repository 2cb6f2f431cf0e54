package io.agentworkspace.engine.integrations.skills;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.model.change.Audience;
import io.agentworkspace.engine.model.change.Change;
import io.agentworkspace.engine.model.change.ChangeTopic;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.skills.Skill;
import io.agentworkspace.engine.skills.SkillCard;
import io.agentworkspace.engine.skills.SkillFile;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Writes a tenant's own skills, and which skills its agents have, inside a transaction. */
final class SkillStore {
    private static final String LOCK =
            SqlTemplate.of("""
            SELECT count(*) FILTER (WHERE s.name <> :name) AS others,
                   COALESCE(sum(s.size) FILTER (WHERE s.name <> :name), 0) AS size,
                   (SELECT {skill_json} FROM skill s WHERE s.tenant_id = :tenant AND s.name = :name) AS own_skill
              FROM skill s
             WHERE s.tenant_id = :tenant
            """).with("skill_json", OwnSkill.JSON).sql();

    private static final String PUT =
            SqlTemplate.of("""
            WITH s AS (
                INSERT INTO skill AS s (tenant_id, name, card, size, updated_at)
                VALUES (:tenant, :name, CAST(:card AS json), :size, :now)
                ON CONFLICT (tenant_id, name) DO UPDATE
                   SET card = excluded.card, size = excluded.size, updated_at = excluded.updated_at, revision = s.revision + 1
                RETURNING s.*)
            SELECT {skill_json} AS record FROM s
            """).with("skill_json", OwnSkill.JSON).sql();

    /** Whether the tenant has its own skill of this name, how many others the agent has, and a row if it was added. */
    private static final String INSTALL = SqlTemplate.of("""
            SELECT 1 AS one {own} FOR KEY SHARE;
            SELECT {others} AS others;
            INSERT INTO skill_install (tenant_id, agent_id, skill, installed_at)
            SELECT t.tenant_id, CAST(:agent AS bigint), :name, CAST(:now AS timestamptz)
              FROM tenant_plan t
             WHERE t.tenant_id = :tenant AND (:shipped OR EXISTS (SELECT 1 {own})) AND {others} < :most
            ON CONFLICT DO NOTHING
            RETURNING agent_id
            """)
            .with("own", "FROM skill WHERE tenant_id = :tenant AND name = :name")
            .with("others", """
            (SELECT count(*)
               FROM skill_install i
              WHERE i.tenant_id = :tenant AND i.agent_id = :agent AND i.skill <> :name)
            """)
            .sql();

    private final Db db;

    public SkillStore(Db db) {
        this.db = db;
    }

    /**
     * What the tenant already has.
     *
     * @param others how many skills of its own with other names
     * @param size how many bytes these have together
     * @param skill the skill with this name, if there is one
     */
    record Stock(long others, long size, @Nullable OwnSkill skill) {}

    /** Locks the tenant's skills: until the transaction ends, nobody else adds any. */
    Stock lock(Call call, String name) {
        db.sql(call, "SELECT pg_advisory_xact_lock(hashtextextended('skills', :tenant))")
                .one(row -> true);
        return db.sql(call, LOCK)
                .set("name", name)
                .one(row -> new Stock(row.number("others"), row.number("size"), row.json("own_skill", OwnSkill.class)))
                .orElseThrow();
    }

    /** Stores the skill. It replaces the one with its name, if there is one. */
    OwnSkill put(Call call, Skill skill, SkillCard card, boolean replaces) {
        changed(call, card.name());
        var kept = db.sql(call, PUT)
                .set("name", card.name())
                .set("card", Json.text(card))
                .set("size", card.size())
                .one(row -> Objects.requireNonNull(row.json("record", OwnSkill.class)))
                .orElseThrow();
        if (replaces) {
            db.sql(call, "DELETE FROM skill_file WHERE tenant_id = :tenant AND skill = :name")
                    .set("name", card.name())
                    .run();
        }
        db.sql(call, """
                INSERT INTO skill_file (tenant_id, skill, path, content)
                SELECT home.tenant_id, :name, f.path, decode(f.content, 'base64')
                  FROM tenant_plan home
                 CROSS JOIN unnest(CAST(:paths AS text[]), CAST(:contents AS text[])) f (path, content)
                 WHERE home.tenant_id = :tenant
                """)
                .set("name", card.name())
                .set("paths", skill.files().stream().map(SkillFile::path).toList())
                .set(
                        "contents",
                        skill.files().stream()
                                .map(file -> Base64.getEncoder().encodeToString(file.bytes()))
                                .toList())
                .run();
        return kept;
    }

    private static void changed(Call call, String name) {
        call.changed(List.of(
                Change.skill(name),
                Change.list(ChangeTopic.RESOURCES, Audience.EVERYONE),
                Change.list(ChangeTopic.PROMPTS, Audience.EVERYONE)));
    }

    /**
     * Returns whether the tenant has its own skill with this name. The skill does not change until the transaction
     * ends.
     */
    boolean holds(Call call, String name) {
        return db.sql(call, "SELECT 1 FROM skill WHERE tenant_id = :tenant AND name = :name FOR UPDATE")
                .set("name", name)
                .one(row -> true)
                .isPresent();
    }

    /**
     * Deletes a skill that the transaction has locked.
     *
     * @param everywhere whether it is also uninstalled from the agents
     * @return the number of these agents
     */
    long remove(Call call, String name, boolean everywhere) {
        var agents = db.sql(call, """
                WITH taken_off AS (DELETE FROM skill_install
                                    WHERE tenant_id = :tenant AND skill = :name AND :everywhere
                                RETURNING agent_id),
                     gone AS (DELETE FROM skill WHERE tenant_id = :tenant AND name = :name)
                SELECT agent_id FROM taken_off
                """)
                .set("name", name)
                .set("everywhere", everywhere)
                .list(row -> row.number("agent_id"));
        changed(call, name);
        agents.forEach(agent -> call.changed(Change.numbered(ChangeTopic.AGENT, agent)));
        return agents.size();
    }

    /**
     * The result of installing or uninstalling.
     *
     * @param exists whether there is such a skill
     * @param others how many others the agent has
     */
    record InstallResult(boolean exists, boolean changed, long others) {}

    /**
     * Installs the skill on an agent that the transaction has locked, unless the agent has the maximum number of
     * skills.
     *
     * @param shipped whether it is a built-in skill, else one of the tenant's own
     */
    InstallResult install(Call call, long agent, String name, boolean shipped, long most) {
        call.changed(Change.numbered(ChangeTopic.AGENT, agent));
        return db.sql(call, INSTALL)
                .set("agent", agent)
                .set("name", name)
                .set("shipped", shipped)
                .set("most", most)
                .all(results -> {
                    var isOwn = results.next(row -> row.number("one")).isPresent();
                    var others = results.next(row -> row.number("others")).orElseThrow();
                    var added = results.list(row -> row.number("agent_id"));
                    return new InstallResult(shipped || isOwn, !added.isEmpty(), others);
                });
    }

    /** Uninstalls a skill from an agent. */
    InstallResult uninstall(Call call, long agent, String name) {
        call.changed(Change.numbered(ChangeTopic.AGENT, agent));
        return db.sql(call, """
                WITH taken_off AS (DELETE FROM skill_install
                                    WHERE tenant_id = :tenant AND agent_id = :agent AND skill = :name
                                RETURNING 1)
                SELECT EXISTS (SELECT 1 FROM taken_off) AS changed,
                       EXISTS (SELECT 1 FROM skill WHERE tenant_id = :tenant AND name = :name) AS own
                """)
                .set("agent", agent)
                .set("name", name)
                .one(row -> new InstallResult(row.flag("changed") || row.flag("own"), row.flag("changed"), 0))
                .orElseThrow();
    }
}
