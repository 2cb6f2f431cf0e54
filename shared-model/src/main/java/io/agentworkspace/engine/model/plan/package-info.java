/** Plans, and what they limit. */
@NullMarked
package io.agentworkspace.engine.model.plan;

import org.jspecify.annotations.NullMarked;
