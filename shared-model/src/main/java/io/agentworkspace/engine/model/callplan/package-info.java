/** Plans of calls: several calls with references between them, as one call of {@code run_plan}. */
@NullMarked
package io.agentworkspace.engine.model.callplan;

import org.jspecify.annotations.NullMarked;
