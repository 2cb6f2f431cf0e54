package io.agentworkspace.engine.skilllibrary;

import io.agentworkspace.engine.skills.SkillCard;
import java.time.Instant;

/** A skill of a tenant's own, as the database knows it. */
record OwnSkill(SkillCard card, long revision, Instant updatedAt) {
    /** Of a skill {@code s}. */
    static final String JSON = "json_build_object('card', s.card, 'revision', s.revision, 'updated_at', s.updated_at)";
}
