// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// The smallest ERC-20 token that the tests need. Like USDT's, its `transfer` answers nothing. Anyone may mint.
/// `pretend` makes the log of a transfer and moves nothing; `fail` makes the same log and then fails the call.
contract Token {
    event Transfer(address indexed from, address indexed to, uint256 value);

    mapping(address => uint256) public balanceOf;

    function mint(address to, uint256 value) external {
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    function transfer(address to, uint256 value) external {
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value;
        emit Transfer(msg.sender, to, value);
    }

    function pretend(address from, address to, uint256 value) external {
        emit Transfer(from, to, value);
    }

    function fail(address to, uint256 value) external {
        emit Transfer(msg.sender, to, value);
        revert("failed");
    }
}
