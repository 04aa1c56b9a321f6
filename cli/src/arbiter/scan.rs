//! Finding conflicts before they happen, and recording each once.

use std::sync::Arc;

use serde::Serialize;

use super::desk::ArbiterDesk;
use super::fit::regions_meet;
use crate::conflicts::board::NodePair;
use crate::conflicts::overlap::{SharedWork, shared_work};
use crate::conflicts::{Conflict, ConflictKind, ConflictRole, Overlap, Participant};
use crate::error::Error;
use crate::history::{Body, PlanEvent};

/// What a scan found.
#[derive(Debug, Default, Serialize)]
pub struct Scan {
    /// Conflicts that have to be arbitrated.
    pub conflicts: Vec<Detected>,
    /// Nodes that share a file, and plan or changed different functions of it: mentioned, and not recorded.
    pub weaker: Vec<Weaker>,
}

/// A conflict that was found.
#[derive(Debug, Serialize)]
pub struct Detected {
    /// Whether it was not known before.
    pub is_new: bool,
    /// The conflict as its record holds it.
    #[serde(flatten)]
    pub conflict: Conflict,
}

/// Two nodes that share a file and no function.
#[derive(Debug, Serialize)]
pub struct Weaker {
    /// The nodes.
    pub nodes: [String; 2],
    /// The files.
    pub files: Arc<[String]>,
}

impl ArbiterDesk<'_> {
    /// Looks for conflicts between nodes that may run at the same time: with `focus` only those of this node, and with
    /// `running` only with nodes that are being worked on, as at its claim. New ones are recorded where `record` is set.
    ///
    /// # Errors
    /// When a record cannot be written.
    pub fn scan(&mut self, focus: Option<&str>, running: bool, record: bool) -> Result<Scan, Error> {
        let mut scan = Scan::default();
        let mut found: Vec<([String; 2], SharedWork)> = Vec::new();
        self.known.board.each_pair(focus, running, self.scene.ignored, |pair, meetings| {
            let NodePair { proposed, blocker } = pair;
            let regions = |path: &str| regions_meet(&self.scene, &self.known, &proposed.id, &blocker.id, path);
            let Some(finding) = shared_work(meetings, regions) else { return };
            let nodes = [proposed.id.clone(), blocker.id.clone()];
            if finding.kind == ConflictKind::OtherFunctions {
                // Neighbours share the same files nearly always.
                let files = finding.overlap.files;
                let same = scan.weaker.last().filter(|last| *last.files == *files).map(|last| Arc::clone(&last.files));
                scan.weaker.push(Weaker { nodes, files: same.unwrap_or_else(|| files.into()) });
            } else {
                found.push((nodes, finding));
            }
        });
        for (nodes, finding) in found {
            let detected = self.known_or_new(&nodes, finding);
            if detected.is_new && record {
                self.record_detection(&detected.conflict)?;
            }
            scan.conflicts.push(detected);
        }
        Ok(scan)
    }

    /// Two nodes are in one conflict at a time: as long as it is open, finding it again is the same conflict.
    pub(super) fn known_or_new(&self, [proposed, blocker]: &[String; 2], finding: SharedWork) -> Detected {
        let known = || self.log.of_nodes(proposed, blocker);
        if let Some(open) = known().find(|known| !known.is_resolved()) {
            return Detected { is_new: false, conflict: open.clone() };
        }
        let prior = known().find(|known| known.layer == finding.layer);
        let SharedWork { layer, kind, overlap, confidence } = finding;
        let participant = |task: &String, role| Participant { task: task.clone(), role };
        let conflict = Conflict {
            conflict_id: Conflict::id_of([proposed, blocker], layer, kind, &overlap),
            detected_at: self.scene.now.to_owned(),
            detected_by: "failwise plan conflicts scan".to_owned(),
            layer,
            kind,
            participants: vec![
                participant(proposed, ConflictRole::Proposed),
                participant(blocker, ConflictRole::Blocker),
            ],
            overlap: Overlap { files: overlap.files, functions: overlap.functions },
            confidence,
            // What comes back has been arbitrated before.
            arbitrations: prior.map_or(0, |prior| prior.arbitrations),
            arbitration: None,
            actions_taken: Vec::new(),
            resolution: None,
            resolved_by: None,
            resolved_at: None,
            prior: prior.map(|prior| prior.conflict_id.clone()),
        };
        Detected { is_new: true, conflict }
    }

    pub(super) fn record_detection(&mut self, conflict: &Conflict) -> Result<(), Error> {
        let node = conflict.proposed().or(conflict.blocker()).unwrap_or(&conflict.conflict_id).to_owned();
        let files: Vec<&str> = conflict.overlap.files.iter().map(String::as_str).collect();
        let reason = Conflict::found_in(conflict.layer, conflict.kind, &files);
        let detected = PlanEvent {
            target: conflict.blocker().map(str::to_owned),
            conflict_id: Some(conflict.conflict_id.clone()),
            reason: Some(reason),
        };
        self.tell(&node, Body::ConflictDetected(detected))?;
        Ok(self.log.append(conflict)?)
    }
}
