"""Other people's libraries, driven through one small file each; none is needed to use overtone."""

from overtone.peers.peer import PEERS, Factors, Peer, peer_of

__all__ = ["PEERS", "Factors", "Peer", "peer_of"]
