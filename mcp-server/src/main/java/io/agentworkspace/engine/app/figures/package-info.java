/** The ten {@code Figures} that tell that something is wrong: the dashboard, the alerts, their page and the doctor have them from there. */
@NullMarked
package io.agentworkspace.engine.app.figures;

import org.jspecify.annotations.NullMarked;
