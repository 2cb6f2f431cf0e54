/** Skills as the Agent Skills specification (agentskills.io) defines them: the reader, and the shipped skills. */
@NullMarked
package io.agentworkspace.engine.skills;

import org.jspecify.annotations.NullMarked;
